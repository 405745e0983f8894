// Checks a grid's nodes and their neighbours. In a pipeline with a grid, every asset is a cell at every node.

import type { Dimension } from '../../engine/grid/dimension.ts';
import { dimensions } from '../../features/grid/dimensions.ts';
import { dimensionsOf, modelFilesOf, type NodeDraft } from '../node-draft.ts';
import type { GraphScope } from './check-graph.ts';

/** Checks the nodes that have a dimension of the grid, and their neighbours. The graph must have no cycles. */
export function checkGrid(scope: GraphScope): void {
  for (const dimension of dimensions) checkDimension(dimension, scope);
}

function checkDimension(dimension: Dimension, scope: GraphScope): void {
  const { name, plural, baseNoun, rootRefusal } = dimension;
  const { graph } = scope;
  const hasDimension = (node: NodeDraft) =>
    dimensionsOf(node).some((planned) => planned.dimension.name === name);
  const [grid, ...others] = graph.order().filter(hasDimension);
  if (grid === undefined) return;
  for (const other of others) {
    report(other, `"${grid.id}" already defines the ${plural} of this pipeline`, scope);
  }
  if (grid.when !== null) {
    const message = `${baseNoun} that skips "${grid.id}" would continue once for each ${name}, but without a ${name}`;
    report(grid, `\`when:\` is not allowed: ${message}`, scope);
  }
  const ancestors = graph.ancestorsOf(grid.id);
  for (const node of graph.order()) {
    const isAfter = graph.ancestorsOf(node.id).has(grid.id);
    if (node === grid || ancestors.has(node.id) || isAfter || others.includes(node)) continue;
    if (modelFilesOf(node).length > 0) continue;
    report(node, `"${node.id}" would do its work once for each ${name} of "${grid.id}"`, scope);
  }
  for (const id of ancestors) {
    const node = graph.node(id);
    const gives = node?.type?.gives ?? [];
    const createdResource = gives.find((given) => given === 'project' || given === 'render');
    if (node && createdResource)
      report(node, `"${id}" creates the ${createdResource} before the ${plural}`, scope);
  }
  if (ancestors.size === 0 && rootRefusal !== undefined) report(grid, rootRefusal, scope);
}

function report(node: NodeDraft, message: string, { document }: GraphScope): void {
  document.error('RL415', [...node.path, 'id'], message);
}
