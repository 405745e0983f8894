// The operations that a pipeline file declares, in the form that the client needs.
import type { Plan } from './types.ts';

export function routesOf(operations: Plan['operations']): Record<string, string> {
  const entries = Object.entries(operations ?? {});
  return Object.fromEntries(entries.map(([id, { route }]) => [id, route]));
}
