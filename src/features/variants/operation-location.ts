import type { NodeContext } from '../../engine/node-context.ts';

/** The start of a message; null if the file does not name the operation. */
export function formatOperationLocation(
  operation: string,
  { run }: Pick<NodeContext, 'run'>,
): string | null {
  const named = run.operations?.[operation];
  return named ? `${operation} at '${named.route}', as the file says under operations,` : null;
}
