// Whether a node comes too late: what it would change is made by a node before it, or may be by one beside it.
import { exampleRoute } from '../api/openapi-match.ts';
import type { Thing } from '../nodes/node-type.ts';
import type { GraphScope } from './check-graph.ts';
import type { NodeDraft } from './node-draft.ts';
import type { NodeWays } from './node-ways.ts';

/**
 * Only for nodes of a graph without circles.
 * @param named ids of the operations that the file names
 */
export function checkLate(scope: GraphScope, ways: NodeWays, named: readonly string[]): void {
  const { document, findings, graph } = scope;
  for (const node of graph.order()) {
    for (const thing of node.type?.comesBefore ?? []) {
      const makers = graph
        .order()
        .filter(
          (other) =>
            other !== node &&
            other.type !== null &&
            ways.thingsGiven(other.id).has(thing) &&
            !ways.areExclusive(node.id, other.id) &&
            mayComeFirst(other, node, scope),
        );
      const lateBy = node.type?.lateBy;
      const maker = makers.find(
        (one) =>
          lateBy === undefined ||
          !named.includes(lateBy.operation.id) ||
          !isMadeGood(one, node, lateBy.unlessThere, scope, ways),
      );
      if (maker === undefined) continue;
      const message = `"${node.id}" comes too late: "${maker.id}" makes the ${thing}, which is made only once`;
      const place = document.valueAt([...node.path, 'id']);
      const fix = [`Put ${node.id} before ${maker.id}.`];
      if (lateBy && isMadeGood(maker, node, lateBy.unlessThere, scope, ways)) {
        const { operation } = lateBy;
        const lines = `operations: { ${operation.id}: '${exampleRoute(operation)}' }`;
        fix.push(
          `Or name the operation that makes up for it, whose path the platform's reference does not show, such as ${lines}.`,
        );
      }
      findings.error('RL412', place, message, fix.join(' '));
    }
  }
}

/** Whether an operation can make up for it: the maker is through with every asset, and has not gone further than that. */
function isMadeGood(
  maker: NodeDraft,
  node: NodeDraft,
  unlessThere: Thing,
  { graph }: GraphScope,
  ways: NodeWays,
): boolean {
  return graph.ancestorsOf(node.id).has(maker.id) && !ways.thingsGiven(maker.id).has(unlessThere);
}

/** A node before it, or one beside it that an asset goes through as well. */
function mayComeFirst({ id }: NodeDraft, node: NodeDraft, { graph }: GraphScope): boolean {
  return !graph.ancestorsOf(id).has(node.id);
}
