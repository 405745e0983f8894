// Bulk create requests: the response lists the created items and the reasons for the others.
import { fail } from '../http/failure.ts';

interface Problem {
  readonly problem: string;
}

function isProblem(result: object): result is Problem {
  return 'problem' in result;
}

/** @throws ApiFailure VALIDATION_ERROR with the reasons if no item can be created */
export function makeItems<Item, R extends object>(
  items: readonly Item[],
  make: (item: Item) => R | Problem,
): { made: R[]; errors: { errors?: string[] } } {
  const made: R[] = [];
  const problems: string[] = [];
  for (const item of items) {
    const result = make(item);
    if (isProblem(result)) problems.push(result.problem);
    else made.push(result);
  }
  if (made.length === 0) fail('VALIDATION_ERROR', problems.join(' '));
  return { made, errors: problems.length > 0 ? { errors: problems } : {} };
}
