// Copies the operations that a file names into its plan.
import type { NamedOperation, Plan } from '../plan/types.ts';
import type { Pipeline } from './pipeline.ts';

/** The operations of a plan; no field if the file names none, so that such plans keep their hash. */
export function operationsOf({ operations }: Pipeline): Pick<Plan, 'operations'> {
  const named = Object.entries(operations).map(([id, one]) => [id, namedOperation(one)]);
  return named.length > 0 ? { operations: Object.fromEntries(named) } : {};
}

function namedOperation(named: Pipeline['operations'][string]): NamedOperation {
  if (typeof named === 'string') return { route: named };
  const { route, body } = named;
  return body === undefined ? { route } : { route, body };
}
