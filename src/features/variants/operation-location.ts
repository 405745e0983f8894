import type { NodeContext } from '../../engine/node-context.ts';

/** Formats the start of a message. Returns null if the file does not declare the operation. */
export function formatOperationLocation(
  operation: string,
  { run }: Pick<NodeContext, 'run'>,
): string | null {
  const operationConfig = run.operations?.[operation];
  return operationConfig
    ? `${operation} at '${operationConfig.route}', as set under \`operations:\` in the pipeline file,`
    : null;
}
