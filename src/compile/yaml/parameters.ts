// Parameters: their declarations in the file, the values that a person enters, and the resulting typed values.

import { resolve } from 'node:path';
import { isObject } from '../../api/unknown-values.ts';
import type { CelParameters } from '../../language/expressions.ts';
import { formatSuggestion } from '../../language/format-suggestion.ts';
import { findRegexProblem, maxMatchedLength, toWholeMatch } from '../../language/regex-safety.ts';
import type { Json } from '../../plan/types.ts';
import { urlStart } from '../../settings/file-fields.ts';
import { findChoiceSource, Parameter, parameterName } from '../pipeline.ts';
import { type LocatedDocument, maxTextLength, type Path } from './document.ts';
import { formatValue, parseShape, suggestQuotes } from './shape.ts';
import type { Range } from './source-text.ts';

export interface ParameterScope {
  document: LocatedDocument;
  /** Values that a person gave. Null if the file is only checked. */
  givenValues: Readonly<Record<string, unknown>> | null;
  /** Base folder for relative paths that a person has given. */
  cwd: string;
  /** Base folder for relative paths in the file. */
  fileFolder: string;
}

const notText = 'is not text';

type Scalar = string | number | boolean;

export interface Parameters {
  /** Every name under `parameters:`, including those of invalid declarations. */
  names: ReadonlySet<string>;
  byName: ReadonlyMap<string, Parameter>;
  /** Given values or defaults. */
  values: ReadonlyMap<string, Json>;
  givenNames: ReadonlySet<string>;
  celTypes: CelParameters;
}

/** Reads `parameters:` and the values. Every problem with a declaration or a value becomes a finding. */
export function readParameters(declarations: Json | undefined, scope: ParameterScope): Parameters {
  const { document } = scope;
  const byName = new Map<string, Parameter>();
  const names = new Set<string>();
  for (const [name, declaration] of isObject(declarations) ? Object.entries(declarations) : []) {
    names.add(name);
    const path = ['parameters', name];
    if (!parameterName.test(name)) {
      const message = `the parameter name "${name}" must consist of at most 63 letters, digits and _, and not begin with a digit`;
      document.errorAtKey('RL308', path, message);
      continue;
    }
    const shape = { document, basePath: path, pendingParameter: () => null };
    const parameter = parseShape(Parameter, declaration, shape);
    if (parameter !== null && checkDeclaration(name, parameter, document))
      byName.set(name, parameter);
  }
  const values = new Map<string, Json>();
  const givenNames = new Set<string>();
  for (const [name, parameter] of byName) {
    const value = valueOf(name, parameter, scope);
    if (value === undefined) continue;
    values.set(name, value);
    if (scope.givenValues !== null && Object.hasOwn(scope.givenValues, name)) givenNames.add(name);
  }
  reportUnknownParameters(names, scope);
  const celTypes = celTypesOf(names, byName);
  return { names, byName, values, givenNames, celTypes };
}

function valueOf(name: string, parameter: Parameter, scope: ParameterScope): Json | undefined {
  const { document, givenValues } = scope;
  const path = ['parameters', name];
  const absolute = (value: Scalar, base: string) =>
    parameter.type === 'path' ? resolve(base, String(value)) : value;
  const raw =
    givenValues === null || !Object.hasOwn(givenValues, name) ? undefined : givenValues[name];
  if (raw !== undefined) {
    const validated = validateValue(raw, parameter);
    if ('reason' in validated) {
      document.errorAtKey('RL311', path, `--param ${name}: ${validated.reason}`);
      return undefined;
    }
    return absolute(validated.value, scope.cwd);
  }
  if (parameter.default !== undefined) return absolute(parameter.default, scope.fileFolder);
  if (givenValues !== null) {
    const hint = `Add --param ${name}=${exampleOf(parameter)}.`;
    document.errorAtKey('RL309', path, `the parameter "${name}" has no value`, hint);
  }
  return undefined;
}

function reportUnknownParameters(
  names: ReadonlySet<string>,
  { document, givenValues }: ParameterScope,
): void {
  const knownNames = [...names];
  for (const name of Object.keys(givenValues ?? {})) {
    if (names.has(name)) continue;
    const range: Range = document.has(['parameters']) ? document.keyRange(['parameters']) : [0, 0];
    const hint = formatSuggestion(name, knownNames) ?? 'The file declares no parameters.';
    const message = `--param ${name}: the file does not declare "${name}"`;
    document.findings.error('RL310', range, message, hint);
  }
}

/** Converts a given value to the type of its parameter, or returns why the value is not valid. */
export function validateValue(
  raw: unknown,
  parameter: Parameter,
): { value: Scalar } | { reason: string } {
  const coerced = coerceValue(raw, parameter);
  const reason = 'reason' in coerced ? coerced.reason : findValueProblem(coerced.value, parameter);
  return reason === null ? coerced : { reason: `${formatValue(raw)} ${reason}` };
}

/** Converts text from a command line to the declared type. Other values must have that type already. */
function coerceValue(raw: unknown, { type }: Parameter): { value: Scalar } | { reason: string } {
  if (type === 'integer' || type === 'number') {
    const value =
      typeof raw === 'string' && /^[+-]?[\d.]+(?:e[+-]?\d+)?$/i.test(raw.trim())
        ? Number(raw)
        : raw;
    if (typeof value !== 'number' || !Number.isFinite(value)) return { reason: 'is not a number' };
    if (type === 'integer' && !Number.isSafeInteger(value))
      return { reason: 'is not a whole number' };
    return { value };
  }
  if (type === 'boolean') {
    const value = raw === 'true' ? true : raw === 'false' ? false : raw;
    return typeof value === 'boolean' ? { value } : { reason: 'is neither true nor false' };
  }
  return typeof raw === 'string' ? { value: raw } : { reason: notText };
}

function findValueProblem(value: Scalar, parameter: Parameter): string | null {
  const { type, min, max, pattern, values } = parameter;
  const size = typeof value === 'string' ? value.length : Number(value);
  const unit = typeof value === 'string' ? ' characters' : '';
  if (typeof value === 'string' && value.length > maxTextLength) {
    return `is longer than ${maxTextLength} characters`;
  }
  if (type === 'path' && value === '') return 'is empty';
  if (type === 'path' && urlStart.test(String(value))) return 'is a URL, not a path';
  if (typeof value === 'string' && value.includes('\0')) return 'contains a NUL character';
  if (min !== undefined && size < min) return `is below the minimum of ${min}${unit}`;
  if (max !== undefined && size > max) return `is above the maximum of ${max}${unit}`;
  if (Array.isArray(values) && !values.includes(String(value))) {
    return `is not one of ${values.join(', ')}`;
  }
  if (pattern === undefined) return null;
  const matched = String(value);
  if (matched.length > maxMatchedLength) {
    return `is longer than ${maxMatchedLength} characters, the maximum of a value with a pattern`;
  }
  return new RegExp(toWholeMatch(pattern)).test(matched) ? null : `does not match ${pattern}`;
}

/** Reports fields of a declaration that contradict each other. Returns true if there are none. */
function checkDeclaration(name: string, parameter: Parameter, document: LocatedDocument): boolean {
  const { findings } = document;
  const { type, min, max, pattern, values } = parameter;
  const errorsBefore = findings.errorCount;
  const declarationPath: Path = ['parameters', name];
  const refuse = (field: string, message: string, hint?: string) => {
    document.error('RL308', [...declarationPath, field], `parameter "${name}": ${message}`, hint);
  };
  if (type === 'enum' && values === undefined) refuse('type', 'the type enum needs `values`');
  if (type !== 'enum' && values !== undefined)
    refuse('values', 'only the type enum allows `values`');
  if ((type === 'boolean' || type === 'enum') && (min ?? max) !== undefined) {
    refuse(min === undefined ? 'max' : 'min', `the type ${type} allows no min or max`);
  }
  if (min !== undefined && max !== undefined && min > max) refuse('min', 'min is above max');
  if (pattern !== undefined) {
    const refusal = findRegexProblem(pattern, { isWhole: true });
    if (type !== 'string' && type !== 'path')
      refuse('pattern', `the type ${type} allows no pattern`);
    else if (refusal !== null) {
      const { offset } = refusal;
      const range = document.textRange([...declarationPath, 'pattern'], offset, offset + 1);
      findings.error('RL512', range, `parameter "${name}": the pattern ${refusal.reason}`);
    }
  }
  if (parameter.required === true && parameter.default !== undefined) {
    refuse('required', '`required: true` and `default` cannot be combined');
  }
  if (parameter.required === false && parameter.default === undefined) {
    refuse('required', '`required: false` needs a `default`');
  }
  if (parameter.default !== undefined && findings.errorCount === errorsBefore) {
    const value = parameter.default;
    const coerced =
      typeof value === 'string' && (type === 'integer' || type === 'number' || type === 'boolean')
        ? { reason: `is text, not of type ${type}` }
        : coerceValue(value, parameter);
    const reason =
      'reason' in coerced ? coerced.reason : findValueProblem(coerced.value, parameter);
    const path = [...declarationPath, 'default'];
    const typed = document.sourceTextAt(path) ?? formatValue(value);
    const hint = reason === notText ? suggestQuotes(document, path) : undefined;
    if (reason !== null) refuse('default', `the default ${typed} ${reason}`, hint);
    noteUncheckedChoice(parameter, value, path, document);
  }
  return findings.errorCount === errorsBefore;
}

/** For choices from the workspace, adds a note that only the platform knows whether a value is valid. */
export function noteUncheckedChoice(
  parameter: Parameter,
  value: Scalar,
  path: Path,
  document: LocatedDocument,
): void {
  const list = findChoiceSource(parameter);
  if (list === null) return;
  const question = `whether the ${list.from} of the workspace include ${formatValue(value)}`;
  const message = `${question} is checked when plan, apply or doctor read the list`;
  document.note(path, message);
}

/** Returns a value of the declared type, which is used to check types while there is no value. */
export function placeholderOf(parameter: Parameter): Json {
  switch (parameter.type) {
    case 'integer':
    case 'number':
      return parameter.min ?? 1;
    case 'boolean':
      return true;
    case 'enum':
      return exampleOf(parameter);
    case 'path':
      return '/';
    case 'string':
      return 'x';
  }
}

function celTypesOf(
  names: ReadonlySet<string>,
  parametersByName: ReadonlyMap<string, Parameter>,
): CelParameters {
  return Object.fromEntries(
    [...names].map((name) => {
      const type = parametersByName.get(name)?.type;
      // The type is unknown because the declaration was refused. Uses of the parameter must not be refused as well.
      if (type === undefined) return [name, 'dyn'];
      if (type === 'integer' || type === 'number') return [name, 'double'];
      return [name, type === 'boolean' ? 'bool' : 'string'];
    }),
  );
}

function exampleOf({ type, values }: Parameter): string {
  if (type === 'enum') return (Array.isArray(values) && values[0]) || 'NAME';
  return { path: 'FOLDER', integer: '1', number: '1.5', boolean: 'true', string: 'TEXT' }[type];
}
