// Bulk create requests. The response lists the created items, and states why the other items were not created.
import { refuseInput } from '../http/failure.ts';

interface Problem {
  readonly problem: string;
}

function isProblem(result: object): result is Problem {
  return 'problem' in result;
}

/** Creates the items that can be created. @throws ApiFailure VALIDATION_ERROR if none can be created */
export function createItems<Item, R extends object>(
  items: readonly Item[],
  make: (item: Item) => R | Problem,
): { created: R[]; errors: { errors?: string[] } } {
  const records: R[] = [];
  const problems: string[] = [];
  for (const item of items) {
    const result = make(item);
    if (isProblem(result)) problems.push(result.problem);
    else records.push(result);
  }
  if (records.length === 0) refuseInput(problems.join(' '));
  return { created: records, errors: problems.length > 0 ? { errors: problems } : {} };
}
