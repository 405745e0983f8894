// Whether a node comes too late: what it would change is made by a node before it, or may be by one beside it.
import type { GraphScope } from './check-graph.ts';
import type { NodeDraft } from './node-draft.ts';
import type { NodeWays } from './node-ways.ts';

/** Only for nodes of a graph without circles. */
export function checkLate(scope: GraphScope, ways: NodeWays): void {
  for (const node of scope.graph.order()) {
    for (const thing of node.type?.comesBefore ?? []) {
      const maker = scope.graph
        .order()
        .find(
          (other) =>
            other !== node &&
            other.type !== null &&
            ways.thingsGiven(other.id).has(thing) &&
            !ways.areExclusive(node.id, other.id) &&
            mayComeFirst(other, node, scope),
        );
      if (maker === undefined) continue;
      const { document, findings } = scope;
      const message = `"${node.id}" comes too late: "${maker.id}" makes the ${thing}, which is made only once`;
      const place = document.valueAt([...node.path, 'id']);
      findings.error('RL412', place, message, `Put ${node.id} before ${maker.id}.`);
    }
  }
}

/** A node before it, or one beside it that an asset goes through as well. */
function mayComeFirst({ id }: NodeDraft, node: NodeDraft, { graph }: GraphScope): boolean {
  return !graph.ancestorsOf(id).has(node.id);
}
