// The operations that a pipeline file names, in the form that the client needs.
import type { Plan } from './types.ts';

export function routesOf(operations: Plan['operations']): Record<string, string> {
  const named = Object.entries(operations ?? {});
  return Object.fromEntries(named.map(([id, { route }]) => [id, route]));
}
