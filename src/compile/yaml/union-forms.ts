// Finds which form a value is meant to have if its field accepts several forms, and which forms exist.
import type { z } from 'zod';
import { isObject } from '../../api/unknown-values.ts';
import type { Json } from '../../plan/types.ts';

export type Issue = z.core.$ZodIssue;
type UnionIssue = Extract<Issue, { code: 'invalid_union' }>;

/** The issues of the form that the value is meant to have, or of keys that no form has; empty if neither is clear. */
export function relevantIssues(issue: UnionIssue, found: Json | undefined): Issue[] {
  const forms = issue.errors.filter((issues) => !issues.some(isOtherKind));
  const fields = isObject(found) ? Object.keys(found) : [];
  const unknown = (issues: readonly Issue[]) =>
    issues.flatMap((one) =>
      one.code === 'unrecognized_keys' && one.path.length === 0 ? one.keys : [],
    );
  const min = Math.min(...forms.map((issues) => unknown(issues).length));
  const nearest = forms.filter((issues) => unknown(issues).length === min);
  const [only] = nearest;
  if (only === undefined) return [];
  // A key that no form has is the mistake, whichever form is meant.
  const keysOfNoForm = unknown(only).filter((key) =>
    forms.every((issues) => unknown(issues).includes(key)),
  );
  const unknownKeyIssues: Issue[] =
    keysOfNoForm.length > 0
      ? [{ code: 'unrecognized_keys', keys: keysOfNoForm, path: [], message: '' }]
      : [];
  if (nearest.length > 1 && keysOfNoForm.length === 0 && min > 0) nearest.length = 1;
  const isUnambiguous =
    nearest.length === 1 && (fields.length > keysOfNoForm.length || forms.length === 1);
  const meant = isUnambiguous ? only : unknownKeyIssues;
  // For a value that fits no form at all, the message of the whole union is clearest.
  if (
    hasOwnMessage(issue) &&
    meant.every(({ path, code }) => path.length === 0 && code !== 'unrecognized_keys')
  )
    return [];
  return meant.map((one) => ({ ...one, path: [...issue.path, ...one.path] }));
}

/** True if the value is of another type than the form, such as text for a mapping, or not among its choices. */
function isOtherKind({ path, code }: Issue): boolean {
  return path.length === 0 && (code === 'invalid_type' || code === 'invalid_value');
}

export function hasOwnMessage({ message }: UnionIssue): boolean {
  return message !== 'Invalid input';
}

interface Forms {
  /** Allowed values of an enum or literal. */
  choices: string[];
  /** Types of the forms, by zod's names. */
  types: string[];
  takesText: boolean;
  /** Fields that select among several mappings. */
  discriminators: string[];
}

export const noForms: Forms = { choices: [], types: [], takesText: false, discriminators: [] };

export function formsOf({ errors }: UnionIssue): Forms {
  const roots = errors.flatMap((issues) => issues.find(isOtherKind) ?? []);
  const choices = roots.flatMap((one) =>
    one.code === 'invalid_value' ? one.values.map(String) : [],
  );
  const types = roots.flatMap((one) => (one.code === 'invalid_type' ? [one.expected] : []));
  const discriminators = errors.flatMap((issues) => {
    const [only, ...more] = issues.filter(
      (one) => one.code === 'invalid_type' && one.path.length === 1,
    );
    return only === undefined || more.length > 0 ? [] : [`\`${String(only.path[0])}\``];
  });
  const takesText = choices.length > 0 || types.includes('string');
  return { choices, types, takesText, discriminators };
}
