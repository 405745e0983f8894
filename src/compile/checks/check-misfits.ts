// Checks that a node can create its output from what the nodes before it deliver, as far as its type knows.
import type { NodeWays } from '../graph/node-ways.ts';
import { label } from '../yaml/shape.ts';
import type { GraphScope } from './check-graph.ts';

/** Requires a graph without cycles. */
export function checkMisfits({ document, findings, graph }: GraphScope, ways: NodeWays): void {
  for (const node of graph.order()) {
    const { type, config } = node;
    const parsed = type?.misfits && config !== null && type.config.safeParse(config);
    if (!type?.misfits || !parsed || !parsed.success) continue;
    for (const { severity, path, message, fix } of type.misfits(parsed.data, ways.scopeOf(node))) {
      const at = [...node.path, 'config', ...path];
      findings[severity]('RL418', document.valueAt(at), `${label(at)} ${message}`, fix);
    }
  }
}
