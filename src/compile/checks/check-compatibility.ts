import { formatPath } from '../yaml/shape.ts';
import type { PathScope } from './check-graph.ts';

/** Reports the conflicts found by the types of nodes. The graph must have no cycles. */
export function checkCompatibility({ document, graph, paths }: PathScope): void {
  for (const node of graph.order()) {
    const { type, config } = node;
    if (config === null) continue;
    const conflicts = type?.findConflicts?.(config, paths.scopeOf(node)) ?? [];
    for (const { severity, path, message, fix } of conflicts) {
      const fieldPath = [...node.path, 'config', ...path];
      document[severity]('RL418', fieldPath, `${formatPath(fieldPath)} ${message}`, fix);
    }
  }
}
