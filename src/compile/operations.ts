// The operations that a file names, as its plan has them.
import type { Plan } from '../plan/types.ts';
import type { Pipeline } from './pipeline.ts';

/** Without a field where the file names none, so that plans of such files stay what they were. */
export function operationsOf({ operations }: Pipeline): Pick<Plan, 'operations'> {
  const named = Object.entries(operations).map(([id, route]) => [id, { route }]);
  return named.length > 0 ? { operations: Object.fromEntries(named) } : {};
}
