// If a field accepts several forms, finds which form a value is intended to have and which forms exist.
import type { z } from 'zod';
import { isObject } from '../../api/unknown-values.ts';
import type { Json } from '../../plan/types.ts';

export type Issue = z.core.$ZodIssue;
type UnionIssue = Extract<Issue, { code: 'invalid_union' }>;

/** Finds the issues of the form that the value should have, or of keys that no form has. Empty if neither is clear. */
export function findRelevantIssues(issue: UnionIssue, value: Json | undefined): Issue[] {
  const forms = issue.errors.filter((issues) => !issues.some(isOtherFormIssue));
  const fields = isObject(value) ? Object.keys(value) : [];
  const unknownKeys = (issues: readonly Issue[]) =>
    issues.flatMap((formIssue) =>
      formIssue.code === 'unrecognized_keys' && formIssue.path.length === 0 ? formIssue.keys : [],
    );
  const minUnknown = Math.min(...forms.map((issues) => unknownKeys(issues).length));
  const nearest = forms.filter((issues) => unknownKeys(issues).length === minUnknown);
  const [only] = nearest;
  if (only === undefined) return [];
  // A key that no form has is the mistake, whichever form is intended, so it is reported.
  const keysOfNoForm = unknownKeys(only).filter((key) =>
    forms.every((issues) => unknownKeys(issues).includes(key)),
  );
  const unknownKeyIssues: Issue[] =
    keysOfNoForm.length > 0
      ? [{ code: 'unrecognized_keys', keys: keysOfNoForm, path: [], message: '' }]
      : [];
  if (nearest.length > 1 && keysOfNoForm.length === 0 && minUnknown > 0) nearest.length = 1;
  const isUnambiguous =
    nearest.length === 1 && (fields.length > keysOfNoForm.length || forms.length === 1);
  const meantIssues = isUnambiguous ? only : unknownKeyIssues;
  // For a value that matches no form at all, the message of the whole union is the clearest.
  const isSpecific = ({ path, code }: Issue) => path.length > 0 || code === 'unrecognized_keys';
  if (hasOwnMessage(issue) && !meantIssues.some(isSpecific)) return [];
  return meantIssues.map((meant) => ({ ...meant, path: [...issue.path, ...meant.path] }));
}

/** True if the value's type differs from the form's, such as text instead of a mapping, or is not among its choices. */
function isOtherFormIssue({ path, code }: Issue): boolean {
  return path.length === 0 && (code === 'invalid_type' || code === 'invalid_value');
}

export function hasOwnMessage({ message }: UnionIssue): boolean {
  return message !== 'Invalid input';
}

interface Forms {
  choices: string[];
  types: string[];
  takesText: boolean;
  /** Fields that select among several mappings. */
  discriminators: string[];
}

export const noForms: Forms = { choices: [], types: [], takesText: false, discriminators: [] };

export function formsOf({ errors }: UnionIssue): Forms {
  const roots = errors.flatMap((issues) => issues.find(isOtherFormIssue) ?? []);
  const choices = roots.flatMap((issue) =>
    issue.code === 'invalid_value' ? issue.values.map(String) : [],
  );
  const types = roots.flatMap((issue) => (issue.code === 'invalid_type' ? [issue.expected] : []));
  const discriminators = errors.flatMap((issues) => {
    const [only, ...more] = issues.filter(
      (issue) => issue.code === 'invalid_type' && issue.path.length === 1,
    );
    return only === undefined || more.length > 0 ? [] : [`\`${String(only.path[0])}\``];
  });
  const takesText = choices.length > 0 || types.includes('string');
  return { choices, types, takesText, discriminators };
}
