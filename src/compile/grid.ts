// The grid of a plan: its dimensions, and how its cells share steps.

import { findStepType } from '../features/index.ts';
import type { CellSharing, PlannedDimension } from '../plan/grid.ts';
import type { Json, Step } from '../plan/types.ts';
import type { NodeGraph } from './graph/node-graph.ts';
import { dimensionsOf, modelFilesOf, type NodeDraft } from './node-draft.ts';

/**
 * Maximum number of assets in a shard of a grid. It is higher than for other shards, because a call contains each model
 * of its shard at most once, so small shards need more calls for the same cells.
 */
const maxShardAssets = 1_500;
/** Calls contain at most this number of models. If possible, the number of models in a shard is a multiple of it. */
const modelsPerCall = 50;
/** Shards of full calls are not larger than this, because larger ones save nothing. */
const fullShardAssets = 600;

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

/** Returns the number of assets per shard: all cells of fifty models or a multiple of fifty, limited to the maximum. */
export function computeGridShardSize(order: readonly NodeDraft[]): number {
  const counts = order
    .flatMap(dimensionsOf)
    .map(({ dimension, spec }) => dimension.count(dimension.spec.parse(spec)));
  if (counts.includes(null)) return maxShardAssets;
  const cellsOfCall = counts.reduce<number>(
    (product, count) => product * (count ?? 1),
    modelsPerCall,
  );
  const fullCalls = Math.max(1, Math.floor(fullShardAssets / cellsOfCall));
  return Math.min(fullCalls * cellsOfCall, maxShardAssets);
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
