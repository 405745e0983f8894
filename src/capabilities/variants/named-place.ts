// Where a pipeline file says that an operation is: what is refused or not found there may be the file's mistake.
import type { NodeContext } from '../../machinery/node-context.ts';

/** The beginning of a message; null where the file does not name the operation. */
export function namedPlace(operation: string, { run }: Pick<NodeContext, 'run'>): string | null {
  const named = run.operations?.[operation];
  return named ? `${operation} at '${named.route}', as the file says under operations,` : null;
}
