// Checks strings by the annotation of their field: connector names, CEL, globs, regular expressions, naming templates.

import { findAddressProblem, type Hosts, hostUrl } from '../../api/network/allowed-hosts.ts';
import type { Resource } from '../../engine/node-type.ts';
import { identifierOf } from '../../language/column-name.ts';
import { formatDuration, parseDurationMs } from '../../language/duration.ts';
import type { ColumnTypes } from '../../language/expressions/typed-columns.ts';
import { type CelParameters, compileExpression, isTextType } from '../../language/expressions.ts';
import { formatSuggestion } from '../../language/format-suggestion.ts';
import { manifestFields } from '../../language/naming/manifest-fields.ts';
import {
  checkNaming,
  checkTextTemplate,
  columnsOfTemplate,
  fieldsOfTemplate,
  hasAssetFields,
  type NamingProblem,
  namingFields,
} from '../../language/naming/naming.ts';
import {
  findPlaceholderProblem,
  findPlaceholders,
  findUnpairedBraces,
} from '../../language/naming/placeholders.ts';
import type { ProblemCode } from '../../language/problem-codes.ts';
import { findGlobProblem } from '../../language/read-glob.ts';
import { findRegexProblem } from '../../language/regex-safety.ts';
import { findExpressions } from '../../language/value-template.ts';
import type { Json } from '../../plan/types.ts';
import { findSecretNameProblem, variableName } from '../../settings/secrets/secret-names.ts';
import {
  type AnnotatedSchema,
  type AnnotatedText,
  findAnnotatedTexts,
  isCelLanguage,
} from '../yaml/annotations.ts';
import { type LocatedDocument, type Path, pathKeyOf } from '../yaml/document.ts';
import type { Hint } from '../yaml/findings.ts';
import type { FilledValue } from '../yaml/interpolation.ts';
import { formatPath } from '../yaml/shape.ts';

/** Maximum duration in a file, except for ages. Equals the retention of closed runs that `deploy/` sets (30 days). */
export const maxTimeoutMs = 30 * 24 * 3_600_000;

export const maxExpressions = 1_000;

const keyFields = {
  files: ['path', 'folder', 'name', 'ext'],
  platform: ['path', 'folder', 'name', 'id'],
} as const;

export interface AnnotationScope {
  document: LocatedDocument;
  filled: FilledValue;
  connectors: ReadonlySet<string>;
  /**
   * Environment variables and hosts that the operator allows files to use. `isAnyLogin` skips the check of login
   * addresses, which is safe if no connector is opened, because no credentials are then sent.
   */
  allowed: { secrets: ReadonlySet<string>; hosts: Hosts; isAnyLogin: boolean };
  celTypes: CelParameters;
  hasTables: boolean;
  /** Types of the columns of tables. Undefined if they are unknown. */
  columnTypes: ColumnTypes | undefined;
  /** Resources that an asset has where the text is used. Null outside nodes, as in `key`. */
  knownResources: ReadonlySet<Resource> | null;
  /** Source of the pipeline's assets. */
  from: keyof typeof keyFields;
  usage: NameUsage;
}

export interface NameUsage {
  connectors: Set<string>;
  parameters: Set<string>;
  expressions: number;
}

/** An annotated text, with functions that report a problem of the text or of its characters `start` to `end`. */
interface Text extends AnnotatedText {
  note: (message: string) => void;
  refuse: (code: ProblemCode, message: string, hint?: Hint, start?: number, end?: number) => void;
}

export function checkAnnotations(
  schema: AnnotatedSchema,
  value: Json,
  basePath: Path,
  scope: AnnotationScope,
): void {
  for (const annotated of findAnnotatedTexts(schema, value, basePath)) {
    const { path, value: text, language } = annotated;
    const filled = scope.filled.texts.get(pathKeyOf(path));
    const { document } = scope;
    const { findings } = document;
    // Offsets are valid only if the file contains the text unchanged.
    const rangeOf = (start = 0, end = text.length) =>
      filled === undefined ? document.textRange(path, start, end) : document.valueRange(path);
    if (filled !== undefined && isCelLanguage(language)) {
      const hint = 'Read a parameter as params.NAME, without ${{ }}.';
      document.error('RL306', path, 'an expression must not contain ${{ }}', hint);
    } else if (filled?.pending !== true) {
      const note: Text['note'] = (message) => findings.note(rangeOf(), message);
      const refuse: Text['refuse'] = (code, message, hint, start, end) =>
        findings.error(code, rangeOf(start, end), message, hint);
      checkOneText({ ...annotated, note, refuse }, scope);
    }
  }
}

function checkOneText(text: Text, scope: AnnotationScope): void {
  const { value } = text;
  switch (text.reference ?? text.language) {
    case 'connector':
      return checkConnector(text, scope);
    case 'template':
      return noteExistence(text, `template "${value}"`);
    case 'folder':
      return noteExistence(text, `folder ${value}`);
    case 'environment':
      return checkSecretName(text, scope);
    case 'address':
      return checkAddress(text, value, scope);
    case 'host':
      return checkAddress(text, hostUrl(value), scope);
    case 'cel':
    case 'variant cel':
      return checkCel(text, 'bool', scope);
    case 'value':
      return checkValue(text, scope);
    case 'key':
      return checkKey(text, scope);
    case 'naming':
      return checkFileNaming(text, scope);
    case 'manifest':
      checkColumns(columnsOfTemplate(value), text, scope);
      return reportNaming(text, checkTextTemplate(value, manifestFields), manifestFields, scope);
    case 'manifest path':
      return reportNaming(text, checkNaming(value, ['run']), ['run'], scope);
    case 'duration':
      return checkDuration(text);
    case 'glob':
      return reportRefusal('RL511', text, findGlobProblem(value));
    case 'regex':
      return reportRefusal('RL512', text, findRegexProblem(value));
    default:
  }
}

function noteExistence({ note }: Text, subject: string): void {
  note(`whether the ${subject} exists is known only when a run starts`);
}

function checkConnector({ value, refuse }: Text, { connectors, usage }: AnnotationScope): void {
  usage.connectors.add(value);
  if (connectors.has(value)) return;
  const hint =
    formatSuggestion(value, [...connectors]) ?? `Define the connector: connectors: { ${value}: … }`;
  refuse('RL303', `the connector "${value}" does not exist`, hint);
}

function checkSecretName({ value, path, note, refuse }: Text, { allowed }: AnnotationScope): void {
  // A malformed name is skipped, because the schema has already reported it.
  if (!variableName.test(value)) return;
  // The last string in the path is the field, because a list of names has indexes after the field.
  const field = path.findLast((step) => typeof step === 'string') ?? '';
  const refusal = findSecretNameProblem(value, field, allowed.secrets);
  if (refusal === null) {
    const who = path[0] === 'start' ? 'receiver' : 'worker';
    note(`whether the ${who} has ${value} in its environment is known only when the ${who} runs`);
  } else {
    refuse('RL315', `${value} ${refusal.reason}`, asSentence(refusal.fix));
  }
}

function checkAddress({ path, refuse }: Text, url: string, { allowed }: AnnotationScope): void {
  const refusal = URL.canParse(url) ? findAddressProblem(new URL(url), allowed.hosts) : null;
  if (refusal === null) return;
  refuse('RL316', `${formatPath(path)} ${refusal.reason}`, asSentence(refusal.fix));
}

/** Turns the text of a fix into a hint, that is, a sentence with a capital letter and a period. */
export function asSentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function checkDuration({ value, path, refuse }: Text): void {
  const ms = parseDurationMs(value);
  if (ms === null || ms <= maxTimeoutMs) return;
  refuse('RL205', `${formatPath(path)} is longer than ${formatDuration(maxTimeoutMs)}`);
}

function reportRefusal(
  code: 'RL511' | 'RL512',
  { value, path, refuse }: Text,
  refusal: { reason: string; offset: number } | null,
): void {
  if (refusal === null) return;
  const start = Math.min(refusal.offset, value.length - 1);
  refuse(code, `${formatPath(path)} ${refusal.reason}`, undefined, start, start + 1);
}

function checkValue(text: Text, scope: AnnotationScope): void {
  const { value, path, refuse } = text;
  const refusal = findPlaceholderProblem(findPlaceholders(value, '{{'));
  if (refusal !== null) {
    const { message, start, end } = refusal;
    return refuse('RL501', `${formatPath(path)} ${message}`, undefined, start, end);
  }
  for (const { source, start } of findExpressions(value)) {
    const refuseInside: Text['refuse'] = (code, message, hint, from = 0, to = source.length) =>
      refuse(code, message, hint, start + from, start + to);
    checkCel({ ...text, value: source, refuse: refuseInside }, 'any', scope);
  }
  const unpaired = findUnpairedBraces(value);
  if (unpaired === null) return;
  const { message, start, end } = unpaired;
  refuse('RL501', `${formatPath(path)}: ${message}`, undefined, start, end);
}

function checkKey(text: Text, scope: AnnotationScope): void {
  const { value, refuse } = text;
  if (!value.includes('{{')) return checkKeyExpression(text, scope);
  const fields = keyFields[scope.from];
  checkColumns(columnsOfTemplate(value), text, scope);
  for (const { message, start, end, field } of checkNaming(value, fields)) {
    const hint = field === undefined ? undefined : formatSuggestion(field, fields);
    refuse('RL521', `key: ${message}`, hint, start, end);
  }
  if (fieldsOfTemplate(value).length === 0) reportSameKey(text);
}

function checkKeyExpression(text: Text, scope: AnnotationScope): void {
  checkCel(text, 'string', scope);
  const compiled = compileExpression(text.value, scope.celTypes, scope.columnTypes);
  if (!compiled.ok || compiled.columns.length > 0) return;
  if (!compiled.reads.some((name) => name.startsWith('asset.'))) reportSameKey(text);
}

function reportSameKey({ refuse }: Text): void {
  const hint = 'Build the key from the path, folder or name of the file.';
  refuse('RL522', 'key: every asset would have the same key', hint);
}

function checkFileNaming(text: Text, scope: AnnotationScope): void {
  const { value, path, refuse } = text;
  const problems = checkNaming(value);
  checkColumns(columnsOfTemplate(value), text, scope);
  reportNaming(text, problems, namingFields, scope);
  if (problems.length > 0 || hasAssetFields(value)) return;
  const message = `${formatPath(path)} would give all assets the same name`;
  const hint = 'Add {{ key }}, {{ name }} or {{ row.COLUMN }} to the name.';
  refuse('RL522', message, hint);
}

function reportNaming(
  { path, refuse }: Text,
  problems: readonly NamingProblem[],
  fields: readonly string[],
  { hasTables }: AnnotationScope,
): void {
  for (const { message, start, end, field } of problems) {
    const hint = field === undefined ? undefined : suggestField(field, fields, hasTables);
    refuse('RL521', `${formatPath(path)}: ${message}`, hint, start, end);
  }
}

/** Creates a hint for an unknown field. People often write a table's heading, or `asset.name` as in expressions. */
function suggestField(field: string, fields: readonly string[], hasTables: boolean) {
  const [, ofAsset = ''] = /^asset\.(\w+)$/.exec(field) ?? [];
  if (fields.includes(ofAsset)) return `Did you mean "${ofAsset}"?`;
  const hint = formatSuggestion(field, fields);
  if (!hasTables || hint?.startsWith('Did')) return hint;
  const column = identifierOf(field.replace(/^row\./, ''));
  return `A column of a table is "row.${column || 'NAME'}". ${hint ?? ''}`.trim();
}

function checkCel(text: Text, result: 'bool' | 'string' | 'any', scope: AnnotationScope): void {
  const { value, path, refuse } = text;
  const { usage } = scope;
  usage.expressions += 1;
  if (usage.expressions > maxExpressions) {
    const message = `the file has more than ${maxExpressions} expressions`;
    return refuse('RL504', message, undefined, 0, 1);
  }
  const compiled = compileExpression(value, scope.celTypes, scope.columnTypes);
  if (!compiled.ok) {
    const { code, message, start, end, hint } = compiled.problem;
    return refuse(code, message, hint, start, end);
  }
  recordParameters(compiled.reads, scope);
  checkColumns(compiled.columns, text, scope);
  const typeLabel = result === 'bool' ? 'true or false' : 'text';
  const isExpected = result === 'any' ? isTextType(compiled.type) : compiled.type === result;
  if (!isExpected && compiled.type !== 'dyn') {
    const message = `${formatPath(path)} must return ${typeLabel}, not ${formatCelType(compiled.type)}`;
    refuse('RL503', message, result === 'any' ? textHint : undefined);
  }
  checkProperties(compiled.properties, text);
  const ofVariant = text.language === 'variant cel';
  const unknownNames = compiled.reads.includes('variant') && !ofVariant ? ['variant'] : [];
  for (const name of [...unknownNames, ...findUnknownReads(compiled.reads, scope)]) {
    const index = Math.max(0, value.indexOf(name));
    const message =
      name === 'variant'
        ? 'variant is available only where variants are chosen'
        : scope.knownResources === null
          ? `${name} is not available when keys are computed; use ${keyFields[scope.from].join(', ')}`
          : `${name} is not available yet at this node`;
    refuse('RL505', message, undefined, index, index + name.length);
  }
}

const textHint =
  'Name one field, such as asset.name, or join the items of a list: LIST.join(", ").';

/** Variables with fields have types such as `$asset`. */
function formatCelType(type: string): string {
  return type.startsWith('$') ? 'an object with several fields' : type;
}

/** Refuses properties of models outside `when`, because only the `when` of a node can read them from the platform. */
function checkProperties(
  properties: readonly string[],
  { value, path: [first, , field, ...more], refuse }: Text,
): void {
  const isOfNode = first === 'nodes' && field === 'when' && more.length === 0;
  if (isOfNode || properties.length === 0) return;
  const index = Math.max(0, value.indexOf('model'));
  const hint =
    'Move the condition to `when` of the node. At the root, choose models with `select: { models: { properties: … } }`.';
  const message = 'model.properties can be read only in `when` of a node';
  refuse('RL505', message, hint, index, index + 'model'.length);
}

/** Refuses columns in a file without tables. It is known only when a table is read whether it has a column. */
function checkColumns(
  columns: readonly string[],
  { value, refuse }: Text,
  { hasTables }: AnnotationScope,
): void {
  if (hasTables || columns.length === 0) return;
  const index = Math.max(0, value.indexOf('row'));
  const hint = 'Define a table under `data:`.';
  refuse('RL505', 'row is available only with a table', hint, index, index + 3);
}

function recordParameters(reads: readonly string[], { usage, celTypes }: AnnotationScope): void {
  const parameterReads = reads.filter((read) => read.startsWith('params.'));
  const names = parameterReads.map((read) => read.slice('params.'.length));
  for (const name of parameterReads.includes('params.*') ? Object.keys(celTypes) : names)
    usage.parameters.add(name);
}

function findUnknownReads(
  reads: readonly string[],
  { knownResources, from }: AnnotationScope,
): string[] {
  const resources = ['model', 'template', 'project'] as const;
  const unknownReads = resources.filter(
    (resource) => reads.includes(resource) && knownResources?.has(resource) !== true,
  );
  if (knownResources === null) {
    const fields = keyFields[from].map((field) => `asset.${field === 'ext' ? 'extension' : field}`);
    const unknownFields = reads.filter(
      (read) => read.startsWith('asset.') && !fields.includes(read),
    );
    return [...unknownReads, ...unknownFields];
  }
  return unknownReads;
}
