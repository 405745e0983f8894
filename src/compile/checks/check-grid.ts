// Checks nodes around a grid of colorways or views. In such a pipeline every asset is a cell, from the first node to the last.

import { colorwaysOf, modelFilesOf, type NodeDraft, viewsOf } from '../node-draft.ts';
import type { GraphScope } from './check-graph.ts';

/** Settings that turn one asset into several. */
interface GridDimension {
  of: (node: NodeDraft) => unknown;
  /** For messages. */
  parts: string;
  part: string;
  whole: string;
}

const dimensions: readonly GridDimension[] = [
  { of: colorwaysOf, parts: 'colorways', part: 'colorway', whole: 'a model' },
  { of: viewsOf, parts: 'views', part: 'view', whole: 'an asset' },
];

/** Requires a graph without cycles. */
export function checkGrid(scope: GraphScope): void {
  for (const dimension of dimensions) checkDimension(dimension, scope);
}

function checkDimension({ of, parts, part, whole }: GridDimension, scope: GraphScope): void {
  const [grid, ...others] = scope.graph.order().filter((node) => of(node) !== null);
  if (grid === undefined) return;
  for (const other of others) {
    report(other, `"${grid.id}" has the ${parts} of this pipeline already`, scope);
  }
  if (grid.when !== null) {
    const message = `${whole} that skips "${grid.id}" would continue without a ${part}, once for each`;
    report(grid, `it takes no \`when:\`: ${message}`, scope);
  }
  const { graph } = scope;
  const before = graph.ancestorsOf(grid.id);
  for (const node of graph.order()) {
    const isAfter = graph.ancestorsOf(node.id).has(grid.id);
    if (node === grid || before.has(node.id) || isAfter || others.includes(node)) continue;
    if (modelFilesOf(node).length > 0) continue;
    report(node, `"${node.id}" would do its work once for each ${part} of "${grid.id}"`, scope);
  }
  for (const id of before) {
    const node = graph.node(id);
    const made = node?.type?.gives.find(
      (resource) => resource === 'project' || resource === 'render',
    );
    if (node && made) report(node, `"${id}" creates the ${made} before the ${parts}`, scope);
  }
  if (before.size === 0 && part === 'view')
    report(
      grid,
      'projects of the platform keep their template; views need models from which projects are created',
      scope,
    );
}

function report(node: NodeDraft, message: string, { document, findings }: GraphScope): void {
  findings.error('RL415', document.valueRange([...node.path, 'id']), message);
}
