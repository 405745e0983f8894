// Decodes the query and body of a request with the schemas of its operation.

import type { OperationRow } from 'renderline/api/contract/operation';
import { z } from 'zod';
import { refuseInput } from './failure.ts';

type Converter = (text: string) => unknown;

/** Returns the first problems of a failed parse as one sentence: the field, then the reason. */
export function describeIssues(location: string, error: z.ZodError): string {
  const issues = error.issues.flatMap(closestIssuesOf);
  const lines = issues.slice(0, 5).map((issue) => {
    const path = issue.path.reduce<string>(
      (text, part) =>
        text + (typeof part === 'number' ? `[${part}]` : `${text && '.'}${String(part)}`),
      '',
    );
    return `${path || location}: ${issue.message}`;
  });
  const extraCount = issues.length - lines.length;
  return lines.join('; ') + (extraCount > 0 ? `; and ${extraCount} more` : '');
}

/** Returns the issues of the alternative with the fewest, if none of several alternatives fits. */
function closestIssuesOf(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union') return [issue];
  const [closest] = issue.errors.toSorted((a, b) => a.length - b.length);
  if (!closest) return [issue];
  return closest.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }));
}

const converters: Record<string, Converter> = {
  // Text that does not parse stays text, so that the schema reports the expected type.
  integer: (text) => (/^-?\d+$/.test(text) ? Number(text) : text),
  number: (text) => (text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text),
  // Upper and lower case are accepted, because some languages write `True`.
  boolean: (text) => (/^(true|false)$/i.test(text) ? text.toLowerCase() === 'true' : text),
};

/** Returns a function that decodes the query string of an operation. Unknown parameters are ignored. */
export function queryDecoder(row: OperationRow): (query: URLSearchParams) => unknown {
  const { query: schema } = row;
  if (!schema) return () => undefined;
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  const fields = Object.entries(json.properties ?? {}).map(([name, property]) => {
    const type = String(typeof property === 'object' ? property.type : undefined);
    return [name, converters[type] ?? ((text: string) => text)] as const;
  });
  return (query) => {
    const input: Record<string, unknown> = {};
    for (const [name, convert] of fields) {
      const text = query.get(name);
      if (text !== null) input[name] = convert(text);
    }
    return parse('query', schema, input);
  };
}

/** Decodes the body of an operation. The body of an operation that has none is ignored. */
export function decodeBody(
  row: OperationRow,
  contentType: string | undefined,
  body: Uint8Array,
): unknown {
  if (!row.body) return undefined;
  if (contentType !== undefined && !/^application\/([\w.+-]+\+)?json\b/i.test(contentType)) {
    refuseInput(`Content-Type must be application/json, not ${contentType}.`);
  }
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    refuseInput(body.length === 0 ? 'body: a JSON body is required' : 'body: not valid JSON');
  }
  return parse('body', row.body, value);
}

/** Returns the value in the form of the schema. @throws ApiFailure VALIDATION_ERROR */
export function parse<T extends z.ZodType>(
  location: string,
  schema: T,
  value: unknown,
): z.output<T> {
  const result = schema.safeParse(value);
  if (!result.success) refuseInput(describeIssues(location, result.error));
  return result.data;
}
