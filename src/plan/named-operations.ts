// The operations that a pipeline file names, as the client takes them.
import type { Plan } from './types.ts';

export function routesOf(operations: Plan['operations']): Record<string, string> {
  const named = Object.entries(operations ?? {});
  return Object.fromEntries(named.map(([id, { route }]) => [id, route]));
}
