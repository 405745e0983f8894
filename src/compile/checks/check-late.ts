// Finds nodes that come too late: a node before them or on a parallel branch creates the resource that they would change.
import { exampleRoute } from '../../api/openapi-match.ts';
import type { Thing } from '../../machinery/node-type.ts';
import type { NodeWays } from '../graph/node-ways.ts';
import type { NodeDraft } from '../node-draft.ts';
import type { GraphScope } from './check-graph.ts';

/**
 * Requires a graph without cycles.
 * @param named ids of the operations that the file names
 */
export function checkLate(scope: GraphScope, ways: NodeWays, named: readonly string[]): void {
  for (const node of scope.graph.order()) {
    const { comesBefore = [], lateBy } = node.type ?? {};
    const isNamed = lateBy !== undefined && named.includes(lateBy.operation.id);
    for (const thing of comesBefore) {
      const maker = makersOf(thing, node, scope, ways).find(
        (one) => !isNamed || !canBeMadeGood(one, node, scope, ways),
      );
      if (maker !== undefined) report(node, maker, thing, scope, ways);
    }
  }
}

/** Nodes that may have given the resource to an asset before it reaches `node`. */
function makersOf(
  thing: Thing,
  node: NodeDraft,
  scope: GraphScope,
  ways: NodeWays,
): readonly NodeDraft[] {
  return scope.graph
    .order()
    .filter(
      (other) =>
        other !== node &&
        other.type !== null &&
        ways.thingsGiven(other.id).has(thing) &&
        !ways.areExclusive(node.id, other.id) &&
        mayComeFirst(other, node, scope),
    );
}

function report(
  node: NodeDraft,
  maker: NodeDraft,
  thing: Thing,
  scope: GraphScope,
  ways: NodeWays,
): void {
  const { document, findings } = scope;
  const message = `"${node.id}" comes too late: "${maker.id}" creates the ${thing}, which is created only once`;
  const move = `Put ${node.id} before ${maker.id}.`;
  const operation = node.type?.lateBy?.operation;
  const fix =
    operation !== undefined && canBeMadeGood(maker, node, scope, ways)
      ? `${move} Or name the operation that can still change it, whose path the platform's reference does not show, such as operations: { ${operation.id}: '${exampleRoute(operation)}' }.`
      : move;
  findings.error('RL412', document.valueAt([...node.path, 'id']), message, fix);
}

/**
 * True if the operation of the node can still change the resource: its creator has finished every asset and created
 * nothing else.
 */
function canBeMadeGood(
  maker: NodeDraft,
  node: NodeDraft,
  { graph }: GraphScope,
  ways: NodeWays,
): boolean {
  const unlessThere = node.type?.lateBy?.unlessThere;
  return (
    unlessThere !== undefined &&
    graph.ancestorsOf(node.id).has(maker.id) &&
    !ways.thingsGiven(maker.id).has(unlessThere)
  );
}

/** True for a node before `node`, or on a branch beside it through which the same asset passes. */
function mayComeFirst({ id }: NodeDraft, node: NodeDraft, { graph }: GraphScope): boolean {
  return !graph.ancestorsOf(id).has(node.id);
}
