// Says in words what is wrong with a value, wherever an issue of a zod schema can reach a person.
import type { z } from 'zod';

type Issue = z.core.$ZodIssue;

const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping',
  record: 'a mapping',
  null: 'nothing',
  undefined: 'nothing',
};

/** Formats issues as `field: must be a list`, separated by semicolons. @param whole name of the value itself */
export function formatIssues(issues: readonly Issue[], whole: string): string {
  return issues
    .flatMap(findClosestIssues)
    .map((issue) => `${issue.path.map(String).join('.') || whole}: ${formatIssue(issue)}`)
    .join('; ');
}

/** Formats an issue as text that follows the name of the field. The own message of a schema is not changed. */
export function formatIssue(issue: Issue): string {
  const { message } = issue;
  if (!/^(?:Invalid|Too (?:big|small)|Unrecognized)\b/.test(message)) return message;
  switch (issue.code) {
    case 'invalid_type':
      return message.endsWith('received undefined')
        ? 'is missing'
        : `must be ${formatType(issue.expected)}`;
    case 'invalid_value':
      return `must be ${formatChoices(issue.values.map(String))}`;
    case 'unrecognized_keys':
      return `must not contain ${issue.keys.map((key) => `"${key}"`).join(', ')}`;
    case 'too_small':
      return issue.origin === 'string' && issue.minimum === 1
        ? 'must not be empty'
        : formatBound('at least', issue.origin, issue.minimum);
    case 'too_big':
      return formatBound('at most', issue.origin, issue.maximum);
    case 'invalid_format':
      return issue.format === 'regex'
        ? `must match ${issue.pattern}`
        : `must be a valid ${issue.format === 'url' ? 'URL' : issue.format}`;
    case 'invalid_union':
      return findClosestIssues(issue)
        .map((closest) =>
          closest === issue ? 'has none of the allowed forms' : formatIssue(closest),
        )
        .join(', ');
    default:
      return message;
  }
}

function formatBound(comparison: string, origin: string, bound: number | bigint): string {
  const limit = `${comparison} ${bound}`;
  if (origin === 'string')
    return `must have ${limit} ${Number(bound) === 1 ? 'character' : 'characters'}`;
  if (origin === 'array')
    return `must contain ${limit} ${Number(bound) === 1 ? 'entry' : 'entries'}`;
  return `must be ${limit}`;
}

/** Returns the issues of the alternative with the fewest, if none of several alternatives fits. */
function findClosestIssues(issue: Issue): Issue[] {
  if (issue.code !== 'invalid_union' || issue.message !== 'Invalid input') return [issue];
  const [closest = []] = issue.errors.toSorted((a, b) => a.length - b.length);
  if (closest.length === 0) return [issue];
  return closest.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }));
}

/** Formats the name of a type as people say it. */
export function formatType(typeName: string): string {
  return typeNames[typeName] ?? typeName;
}

/** Formats choices as `a, b or c`. */
export function formatChoices(choices: readonly string[]): string {
  const last = choices.at(-1) ?? '';
  return choices.length < 2 ? last : `${choices.slice(0, -1).join(', ')} or ${last}`;
}
