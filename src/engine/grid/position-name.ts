// Checks the names of positions along the dimensions of a grid. Pure.
import { z } from 'zod';
import { createCellKey } from '../../store/records/cell-keys.ts';

const maxPositionNameLength = 200;

/**
 * Returns why a string cannot be the name of a position, as the end of a sentence, or null if it can be one. Keys and
 * file names contain a safe form of the name, so most characters are allowed.
 */
export function findNameProblem(name: string): string | null {
  if (name === '') return 'is empty';
  if (name.length > maxPositionNameLength)
    return `is ${name.length} characters long, but at most ${maxPositionNameLength} are allowed`;
  if (name !== name.trim()) return 'begins or ends with white space';
  if (/\p{Cc}/u.test(name)) return 'contains a line break or another control character';
  return /\p{Cs}/u.test(name) ? 'contains an incomplete Unicode character' : null;
}

/** Creates the schema of a field that contains the name of a position, such as a colorway or a view. */
export function createNameField(description: string) {
  return z
    .string()
    .min(1)
    .superRefine((name, context) => {
      const refusal = findNameProblem(name);
      if (refusal !== null) context.addIssue({ code: 'custom', message: refusal });
    })
    .describe(description);
}

/** Finds the first name that equals an earlier one (ignoring case) or results in the same key. Null if none does. */
export function findDuplicateName(names: readonly string[]): string | null {
  const earlierForms = new Set<string>();
  for (const name of names) {
    const forms = new Set(
      [name, createCellKey('', name)].map((text) => text.normalize('NFC').toLowerCase()),
    );
    if ([...forms].some((form) => earlierForms.has(form))) return name;
    for (const form of forms) earlierForms.add(form);
  }
  return null;
}
