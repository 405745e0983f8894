// Finds the possible duplicates in reports, which are calls whose work may have been done twice.
import type { ShownRun } from './evidence.ts';

export interface PossibleDuplicate {
  /** Key of the asset. */
  key: string;
  operation: string;
  message: string;
}

const duplicatePattern = /\btwice\b|\bOUTCOME_UNKNOWN\b/;
const operations = /\b(?:create|export|retry|add|confirm)[A-Z]\w+\b/;
const ids = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g;

export function possibleDuplicatesIn(runs: readonly ShownRun[]): PossibleDuplicate[] {
  const statements = runs.flatMap(({ warnings, failures }) => [
    ...warnings,
    ...failures.map(({ key, code, message }) => ({ key, message: `${code} ${message}` })),
  ]);
  return statements.flatMap(({ key, message }) => {
    const [operation] = operations.exec(message) ?? [];
    return operation !== undefined && duplicatePattern.test(message)
      ? [{ key, operation, message }]
      : [];
  });
}

/** Returns the ids in the messages, or null if a message contains no id, so that it may be about any resource. */
export function namedIds(possibleDuplicates: readonly PossibleDuplicate[]): Set<string> | null {
  const idLists = possibleDuplicates.map(({ message }) => message.match(ids) ?? []);
  return idLists.some((idList) => idList.length === 0) ? null : new Set(idLists.flat());
}
