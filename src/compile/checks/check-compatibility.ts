import type { NodePaths } from '../graph/node-paths.ts';
import { formatPath } from '../yaml/shape.ts';
import type { GraphScope } from './check-graph.ts';

/** Reports the conflicts found by the types of nodes. The graph must have no cycles. */
export function checkCompatibility(
  { document, findings, graph }: GraphScope,
  paths: NodePaths,
): void {
  for (const node of graph.order()) {
    const { type, config } = node;
    if (config === null) continue;
    const conflicts = type?.findConflicts?.(config, paths.scopeOf(node)) ?? [];
    for (const { severity, path, message, fix } of conflicts) {
      const fieldPath = [...node.path, 'config', ...path];
      const range = document.valueRange(fieldPath);
      findings[severity]('RL418', range, `${formatPath(fieldPath)} ${message}`, fix);
    }
  }
}
