// Checks conditions on properties of models: `when: model.properties.approved == "yes"`.
import { findProperties } from '../../language/expressions.ts';
import type { NodePaths } from '../graph/node-paths.ts';
import type { NodeDraft } from '../node-draft.ts';
import type { PathScope } from './check-graph.ts';

/** Refuses conditions that a node cannot evaluate, and warns about ways around a node. The graph must be acyclic. */
export function checkPropertyConditions({ document, graph, paths }: PathScope): void {
  const hasChildren = new Set(graph.nodes.flatMap(({ id }) => graph.parentsOf(id)));
  const ends = graph.nodes.filter(({ id }) => !hasChildren.has(id));
  for (const node of graph.order()) {
    if (node.when === null || findProperties(node.when).length === 0) continue;
    const whenPath = [...node.path, 'when'];
    if (!canReadProperties(node, paths)) {
      const message = `"${node.id}" waits or only checks files, so its \`when\` cannot read properties of models`;
      const hint = 'Move the condition to the next node that does work.';
      document.error('RL505', whenPath, message, hint);
      continue;
    }
    const isNode = ({ id }: NodeDraft) => id === node.id;
    const misses = ({ id }: NodeDraft) => !paths.isOnEveryPath(id, `passes ${node.id}`, isNode);
    const other = ends.find((end) => !isNode(end) && misses(end));
    if (other === undefined) continue;
    const message = `assets can end at "${other.id}" without passing "${node.id}"; they then count as finished, and later runs do not check their properties until the file or the pipeline changes`;
    const hint =
      'Move all later nodes after the condition, or use a separate pipeline for these nodes.';
    document.warning('RL421', whenPath, message, hint);
  }
}

/** False if there are no steps, or if a wait comes first, which would read the properties on every poll. */
function canReadProperties(node: NodeDraft, paths: NodePaths): boolean {
  const { type, config } = node;
  if (type === null || config === null) return true;
  const [first] = paths.draftsOf(node);
  return first?.mode === 'call';
}
