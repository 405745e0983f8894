// The grid of a plan: its dimensions, and how its cells share steps.

import { findStepType } from '../features/index.ts';
import type { CellSharing, PlannedDimension } from '../plan/grid.ts';
import type { Json, Step } from '../plan/types.ts';
import type { NodeGraph } from './graph/node-graph.ts';
import { dimensionsOf, modelFilesOf, type NodeDraft } from './node-draft.ts';

/**
 * Maximum number of assets in a shard of a grid. It is higher than for other shards, because cells share the data of
 * their model.
 */
const maxShardAssets = 600;
/** If possible, the number of models in a shard is a multiple of this, so that calls of fifty models are full. */
const modelsPerShard = 50;

/** Returns the dimensions of a pipeline, outermost first. */
export function plannedGridOf(order: readonly NodeDraft[]): PlannedDimension[] {
  return order.flatMap((node) =>
    dimensionsOf(node).map(({ dimension: { name, isSearchable }, spec }) => ({
      name,
      node: node.id,
      spec,
      ...(isSearchable ? { isSearchable } : {}),
    })),
  );
}

/** Computes the number of assets per shard: all cells of a multiple of fifty models. `minSize` if fifty models have too
 * many cells. The maximum if their number is unknown. */
export function computeGridShardSize(order: readonly NodeDraft[], minSize: number): number {
  const counts = order
    .flatMap(dimensionsOf)
    .map(({ dimension, spec }) => dimension.count(dimension.spec.parse(spec)));
  if (counts.includes(null)) return maxShardAssets;
  const cellsOfModels = counts.reduce<number>(
    (product, count) => product * (count ?? 1),
    modelsPerShard,
  );
  return Math.max(Math.floor(maxShardAssets / cellsOfModels) * cellsOfModels, minSize);
}

/** Returns, for each node, the config with which its steps look up the position names in the file. */
export function lookUpConfigsOf(order: readonly NodeDraft[]): ReadonlyMap<string, Json> {
  return new Map(
    order.flatMap((node) =>
      dimensionsOf(node).flatMap(({ dimension, spec }): [string, Json][] => {
        const config = dimension.lookupConfig?.(dimension.spec.parse(spec));
        return config === undefined ? [] : [[node.id, config]];
      }),
    ),
  );
}

/** Adds how cells share the steps. Steps before the node of a dimension do their work once for all positions. */
export function withSharing(
  steps: Step[],
  grid: readonly PlannedDimension[],
  graph: NodeGraph,
): Step[] {
  if (grid.length === 0) return steps;
  const nodesBefore = grid.map(({ node }) => graph.ancestorsOf(node));
  const last = steps.findLastIndex(({ activity }) => findStepType(activity)?.submits);
  const sharingOf = ({ node: id, activity }: Step): CellSharing => {
    const node = graph.node(id);
    if (node !== undefined && modelFilesOf(node).length > 0) return { work: 0, calls: 0 };
    const next = nodesBefore.findIndex((nodes) => nodes.has(id));
    const dimensionCount = next === -1 ? grid.length : next;
    return {
      work: dimensionCount,
      calls: findStepType(activity)?.callsHold === 'models' ? 0 : dimensionCount,
    };
  };
  return steps.map((step, index) => ({
    ...step,
    cells: sharingOf(step),
    ...(step.mode === 'wait' && index < last ? { batchesCells: true } : {}),
  }));
}
