import type { NodeContext } from '../../engine/node-context.ts';

/** The start of a message; null if the file does not name the operation. */
export function formatOperationLocation(
  operation: string,
  { run }: Pick<NodeContext, 'run'>,
): string | null {
  const operationConfig = run.operations?.[operation];
  return operationConfig
    ? `${operation} at '${operationConfig.route}', as the file says under operations,`
    : null;
}
