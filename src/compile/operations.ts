// The operations that a file names, as its plan has them.
import type { NamedOperation, Plan } from '../plan/types.ts';
import type { Pipeline } from './pipeline.ts';

/** Without a field where the file names none, so that plans of such files stay what they were. */
export function operationsOf({ operations }: Pipeline): Pick<Plan, 'operations'> {
  const named = Object.entries(operations).map(([id, one]) => [id, namedOperation(one)]);
  return named.length > 0 ? { operations: Object.fromEntries(named) } : {};
}

function namedOperation(named: Pipeline['operations'][string]): NamedOperation {
  if (typeof named === 'string') return { route: named };
  const { route, body } = named;
  return body === undefined ? { route } : { route, body };
}
