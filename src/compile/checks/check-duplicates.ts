// Finds pairs of nodes that would do the same work on an asset twice, and pairs in which one node would have no effect.

import type { NodeType, Resource } from '../../engine/node-type.ts';
import type { NodePaths } from '../graph/node-paths.ts';
import type { NodeDraft } from '../node-draft.ts';
import type { PathScope } from './check-graph.ts';

/** Resources that an asset can have only once. A template can be replaced until the project is created. */
const onePerAsset = new Set<Resource>(['model', 'choice of variants', 'project', 'render']);

/** Compares all pairs of nodes that submit work. The graph must have no cycles. */
export function checkDuplicates(scope: PathScope): void {
  const { graph, paths } = scope;
  const workNodes = graph.order().filter(({ type }) => type !== null && isSubmitting(type));
  for (const [index, second] of workNodes.entries()) {
    for (const first of workNodes.slice(0, index)) {
      if (paths.areExclusive(first.id, second.id)) continue;
      if (graph.ancestorsOf(second.id).has(first.id)) checkSequence(first, second, scope);
      else checkSideBySide(first, second, scope);
      checkLateTemplate(first, second, scope);
    }
  }
}

/** True for types that create something for individual assets. Waits and lists of files serve all assets. */
function isSubmitting({ mode, root, gives }: NodeType): boolean {
  return mode === 'call' && root?.from !== 'files' && gives.length > 0;
}

function checkSideBySide(first: NodeDraft, second: NodeDraft, { document, paths }: PathScope) {
  const others = paths.resourcesGiven(second.id);
  // The last resource in `gives` is the main result of a node.
  const resources = [...paths.resourcesGiven(first.id)];
  const sharedResource = resources.findLast((resource) => others.has(resource));
  if (sharedResource === undefined) return;
  const path = [...second.path, 'id'];
  const problem = `"${first.id}" and "${second.id}" both create a ${sharedResource} for the same asset in parallel`;
  if (hasOwnCondition(first, second, paths) && hasOwnCondition(second, first, paths)) {
    const message = `${problem}, unless their conditions exclude each other`;
    const hint = 'Write one condition as !(…) of the other, so that Renderline can prove this.';
    return document.warning('RL410', path, message, hint);
  }
  const hint = 'Place one node after the other, or add `when:` conditions that exclude each other.';
  document.error('RL410', path, problem, hint);
}

function checkSequence(first: NodeDraft, second: NodeDraft, { document }: PathScope) {
  if (first.type !== second.type) return;
  const once = first.type?.gives.filter((resource) => onePerAsset.has(resource)).at(-1);
  if (once === undefined) return;
  const message = `an asset has only one ${once}: "${second.id}" would do nothing after "${first.id}"`;
  const hint = 'Remove one of the two nodes, or move one to another pipeline.';
  document.error('RL410', [...second.path, 'id'], message, hint);
}

/** Reports a template that is chosen after the project was created, because a project keeps its template. */
function checkLateTemplate(first: NodeDraft, second: NodeDraft, scope: PathScope) {
  const { document, graph, paths } = scope;
  for (const chooser of [first, second]) {
    const maker = chooser === first ? second : first;
    if (!hasResource(chooser, 'template') || !hasResource(maker, 'project')) continue;
    if (graph.ancestorsOf(maker.id).has(chooser.id)) continue;
    // An earlier node has created the project, and that node itself is reported.
    if (paths.resourcesBefore(maker.id).has('project')) continue;
    const message = `"${chooser.id}" chooses the template too late: "${maker.id}" creates the project`;
    const hint = `Move ${chooser.id} before ${maker.id}.`;
    document.error('RL407', [...chooser.path, 'id'], message, hint);
  }
}

function hasResource({ type }: NodeDraft, resource: Resource): boolean {
  return type?.gives.includes(resource) === true;
}

/** True if the node has a condition that the other node does not share. */
function hasOwnCondition({ id }: NodeDraft, other: NodeDraft, paths: NodePaths): boolean {
  const otherConditions = paths.conditionsAt(other.id);
  return paths.conditionsAt(id).some((condition) => !otherConditions.includes(condition));
}
