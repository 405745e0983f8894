// Converts zod issues to problems. A problem states which field is wrong, where it is, and what is expected instead.
import type { z } from 'zod';
import { formatChoices, formatIssue, formatType } from '../../api/format-issue.ts';
import { truncate } from '../../api/responses/plain-text.ts';
import { isObject } from '../../api/unknown-values.ts';
import { formatSuggestion } from '../../language/format-suggestion.ts';
import type { Json } from '../../plan/types.ts';
import { jsonSchemaOf, listKnownKeys, restoreTypedNumbers } from './annotations.ts';
import type { LocatedDocument, Path } from './document.ts';
import { findRelevantIssues, formsOf, hasOwnMessage, type Issue, noForms } from './union-forms.ts';

export interface ShapeScope {
  document: LocatedDocument;
  basePath: Path;
  /** Name of the document in messages, with its article. @default 'a pipeline' */
  documentName?: string;
  /**
   * Returns the name of the parameter whose placeholder is filled in, so that only the type can be checked. Empty if
   * the parameter was already refused. Null if there is no placeholder.
   */
  pendingParameter(path: Path): string | null;
}

/** Checks a value. Returns null if it does not match or cannot be checked yet. The findings then state why. */
export function parseShape<S extends z.ZodType>(
  schema: S,
  value: Json,
  scope: ShapeScope,
): z.output<S> | null {
  const { document, basePath } = scope;
  const typedAt = (path: Path) => document.sourceTextAt([...basePath, ...path]);
  const result = schema.safeParse(restoreTypedNumbers(jsonSchemaOf(schema), value, typedAt));
  if (result.success) return result.data;
  for (const issue of result.error.issues) reportIssue(issue, schema, value, scope);
  return null;
}

function reportIssue(issue: Issue, schema: z.ZodType, value: Json, scope: ShapeScope): void {
  const { document, basePath } = scope;
  const inner: Path = issue.path.filter((step) => typeof step !== 'symbol');
  const path = [...basePath, ...inner];
  const parameter = scope.pendingParameter(path);
  if (parameter !== null) {
    reportPending(issue, parameter, path, document);
    return;
  }
  const innerValue = getValueAt(value, inner);
  const innerIssues = issue.code === 'invalid_union' ? findRelevantIssues(issue, innerValue) : [];
  if (innerIssues.length > 0) {
    for (const innerIssue of innerIssues) reportIssue(innerIssue, schema, value, scope);
    return;
  }
  const allowedValues = allowedValuesOf(issue);
  // The name of a secret's variable may be the secret itself, written there by mistake.
  const isSecret = String(path.at(-1)).endsWith('From');
  const isHidden = isSecret && typeof innerValue !== 'object';
  const shown = isHidden
    ? `a ${typeof innerValue}`
    : ((isSecret ? null : document.sourceTextAt(path)) ?? describe(innerValue));
  const inQuotes = isSecret ? undefined : suggestQuotes(document, path);
  if (issue.code === 'unrecognized_keys') {
    const knownFields = listKnownKeys(jsonSchemaOf(schema), inner);
    const owner = path.length === 0 ? (scope.documentName ?? 'a pipeline') : formatPath(path);
    for (const key of issue.keys) {
      const isKnownElsewhere = knownFields.includes(key);
      const message = isKnownElsewhere
        ? `"${key}" cannot be combined with the other fields of ${owner}`
        : `"${key}" is not a field of ${owner}`;
      document.errorAtKey('RL201', [...path, key], message, () =>
        isKnownElsewhere
          ? 'Remove this field, or remove the others.'
          : formatSuggestion(key, knownFields),
      );
    }
  } else if (innerValue === undefined && inner.length > 0) {
    const name = String(path.at(-1));
    const location = path.length > 1 ? ` in ${formatPath(path.slice(0, -1))}` : '';
    document.error('RL202', path, `"${name}" is missing${location}`, `Add \`${name}:\`.`);
  } else if (issue.code === 'invalid_type') {
    const message = `${formatPath(path)} must be ${formatType(issue.expected)}, not ${shown}`;
    document.error('RL203', path, message, issue.expected === 'string' ? inQuotes : undefined);
  } else if (allowedValues !== null) {
    const hint =
      typeof innerValue === 'string' ? formatSuggestion(innerValue, allowedValues) : undefined;
    const message = `${formatPath(path)} must be ${formatChoices(allowedValues)}, not ${shown}`;
    document.error('RL204', path, message, hint);
  } else {
    const { choices, takesText } = issue.code === 'invalid_union' ? formsOf(issue) : noForms;
    const hint =
      typeof innerValue === 'string'
        ? formatSuggestion(innerValue, choices)
        : takesText
          ? inQuotes
          : undefined;
    const message = `${formatPath(path)} ${formatFieldIssue(issue, innerValue, shown)}`;
    document.error('RL204', path, message, hint);
  }
}

/** Returns the values that a field allows, or null if the issue is not about a choice. */
function allowedValuesOf(issue: Issue): string[] | null {
  if (issue.code === 'invalid_value') return issue.values.map((value) => String(value));
  // Issues of discriminated unions have `options`, which zod's types lack.
  const options = 'options' in issue ? issue.options : undefined;
  return Array.isArray(options) ? options.map((option) => String(option)) : null;
}

/** Reports a wrong type. Other problems may depend on the value of the parameter, so they only cause notes. */
function reportPending(
  issue: Issue,
  parameter: string,
  path: Path,
  document: LocatedDocument,
): void {
  if (parameter === '') return;
  if (issue.code === 'invalid_type') {
    const message = `${formatPath(path)} must be ${formatType(issue.expected)}, which params.${parameter} is not`;
    document.error('RL305', path, message);
  } else {
    document.note(path, `whether ${formatPath(path)} is valid depends on params.${parameter}`);
  }
}

function formatFieldIssue(issue: Issue, value: Json | undefined, shown: string): string {
  if (issue.code !== 'invalid_union') return formatIssue(issue);
  const { choices, types, discriminators } = formsOf(issue);
  if (isObject(value) && discriminators.length > 0) return `needs ${formatChoices(discriminators)}`;
  const takes = hasOwnMessage(issue)
    ? issue.message
    : `must be ${formatChoices([...choices, ...new Set(types.map(formatType))])}`;
  return `${takes}, not ${shown}`;
}

/** Creates a hint that explains how to keep a number or boolean as text. */
export function suggestQuotes(document: LocatedDocument, path: Path): string | undefined {
  const typed = document.sourceTextAt(path);
  return typed === null ? undefined : `If the value is text, put it in quotes: "${typed}".`;
}

/** Formats a path as people write it: `nodes[2].config.settings`. */
export function formatPath(path: Path): string {
  return path
    .map((step, index) =>
      typeof step === 'number' ? `[${step}]` : index === 0 ? step : `.${step}`,
    )
    .join('');
}

function describe(value: Json | undefined): string {
  if (value === null || value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (isObject(value)) return 'a mapping';
  return formatValue(value);
}

/** Returns a value as JSON that is short enough for a message. */
export function formatValue(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${truncate(text, 58)}"` : text;
}

/** Returns the value at a path, or undefined if there is none. */
export function getValueAt(value: Json, path: Path): Json | undefined {
  let current: Json | undefined = value;
  for (const step of path) {
    if (Array.isArray(current) && typeof step === 'number') current = current[step];
    else if (typeof current === 'object' && current !== null && !Array.isArray(current)) {
      current = Object.hasOwn(current, step) ? current[step] : undefined;
    } else return undefined;
  }
  return current;
}
