// Whether a grid of colorways goes with the nodes around it: assets are cells of the grid from beginning to end.
import type { GraphScope } from './check-graph.ts';
import { colorwaysOf, type NodeDraft } from './node-draft.ts';

/** Only for nodes of a graph without circles. */
export function checkGrid(scope: GraphScope): void {
  const [grid, ...others] = scope.graph.order().filter((node) => colorwaysOf(node) !== null);
  if (grid === undefined) return;
  for (const other of others) {
    report(other, `"${grid.id}" has the colorways of this pipeline already`, scope);
  }
  if (grid.when !== null) {
    const message = `a model that passes "${grid.id}" over would go on without a colorway, once for each`;
    report(grid, `it takes no \`when:\`: ${message}`, scope);
  }
  const { graph } = scope;
  const before = graph.ancestorsOf(grid.id);
  for (const node of graph.order()) {
    const isAfter = graph.ancestorsOf(node.id).has(grid.id);
    if (node === grid || before.has(node.id) || isAfter || others.includes(node)) continue;
    report(node, `"${node.id}" would do its work once for each colorway of "${grid.id}"`, scope);
  }
  for (const id of before) {
    const node = graph.node(id);
    const made = node?.type?.gives.find((thing) => thing === 'project' || thing === 'render');
    if (node && made) report(node, `"${id}" makes the ${made} before the colorways`, scope);
  }
}

function report(node: NodeDraft, message: string, { document, findings }: GraphScope): void {
  findings.error('RL415', document.valueAt([...node.path, 'id']), message);
}
