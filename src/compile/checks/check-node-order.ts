// Finds nodes that run too late, because an earlier node or one on a parallel branch creates what they would change.
import { createExampleRoute } from '../../api/requests/openapi-match.ts';
import type { Resource } from '../../engine/node-type.ts';
import type { NodeDraft } from '../node-draft.ts';
import type { PathScope } from './check-graph.ts';

/**
 * Reports nodes that run too late. The graph must have no cycles.
 * @param namedOperations operations that the file defines
 */
export function checkNodeOrder(scope: PathScope, namedOperations: readonly string[]): void {
  for (const node of scope.graph.order()) {
    const { comesBefore = [], lateBy } = node.type ?? {};
    const isNamed = lateBy !== undefined && namedOperations.includes(lateBy.operation.id);
    for (const resource of comesBefore) {
      const creator = findCreators(resource, node, scope).find(
        (candidate) => !isNamed || !canApplyLater(candidate, node, scope),
      );
      if (creator !== undefined) report(node, creator, resource, scope);
    }
  }
}

/** Returns nodes that may have created the resource for an asset before the asset reaches `node`. */
function findCreators(
  resource: Resource,
  node: NodeDraft,
  { graph, paths }: PathScope,
): readonly NodeDraft[] {
  const mayHaveGiven = (other: NodeDraft) =>
    other !== node &&
    other.type !== null &&
    paths.resourcesGiven(other.id).has(resource) &&
    !paths.areExclusive(node.id, other.id) &&
    !graph.ancestorsOf(other.id).has(node.id);
  return graph.order().filter(mayHaveGiven);
}

function report(node: NodeDraft, creator: NodeDraft, resource: Resource, scope: PathScope): void {
  const message = `"${node.id}" comes too late: "${creator.id}" creates the ${resource}, which is created only once`;
  const move = `Move ${node.id} before ${creator.id}.`;
  const operation = node.type?.lateBy?.operation;
  const fix =
    operation !== undefined && canApplyLater(creator, node, scope)
      ? `${move} Or add the operation that can still change it, for example operations: { ${operation.id}: '${createExampleRoute(operation)}' }. The platform's reference does not show its path.`
      : move;
  scope.document.error('RL412', [...node.path, 'id'], message, fix);
}

/** True if the node's operation can still change the resource, whose creator comes before it. */
function canApplyLater(creator: NodeDraft, node: NodeDraft, { graph, paths }: PathScope): boolean {
  const unlessThere = node.type?.lateBy?.unlessThere;
  return (
    unlessThere !== undefined &&
    graph.ancestorsOf(node.id).has(creator.id) &&
    !paths.resourcesGiven(creator.id).has(unlessThere)
  );
}
