// Decides which cells of a colorway grid share a call. Pure, so that it can be replayed.
import { chunks } from '../helpers/chunks.ts';
import { groupBy } from '../helpers/group-by.ts';
import type { Step } from '../types.ts';
import type { Batching, CellIndexes } from './step-contract.ts';

/** An asset that enters a step. */
export interface StepEntry {
  assetIndex: number;
  /** When it became ready for the step. */
  enteredAtMs: number;
}

/** How long a step waits for other colorways of the same model before it continues without them. */
const siblingWaitMs = 2 * 60_000;

/** Calls that a step may make now, and when to check again for cells that wait for other colorways of their model. */
export interface ReadyCalls {
  calls: StepEntry[][];
  nextCheckAtMs: number | null;
}

export class Cells {
  /** By asset index; empty if assets are no cells. */
  readonly #cells: ReadonlyMap<number, CellIndexes>;
  readonly #assetsOfModel: ReadonlyMap<number, number[]>;

  constructor(cells: readonly (readonly [at: number, cell: CellIndexes])[] = []) {
    this.#cells = new Map(cells);
    this.#assetsOfModel = groupBy(this.#cells.keys(), (assetIndex) => this.#modelOf(assetIndex));
  }

  /** Number of existing combinations of colorway and view. A step that is not shared makes one call for each. */
  get kindCount(): number {
    return new Set([...this.#cells.values()].map(([, ...kind]) => kind.join(' '))).size;
  }

  /**
   * How many results a wait collects before it reports them.
   * @param next the steps after it
   */
  batchingFor({ batchesCells }: Step, next: readonly Step[]): Batching {
    const calls = batchesCells ? Math.max(this.kindCount, 1) : 1;
    const oneCall = Math.min(50, ...next.map(({ batch }) => batch));
    return { batchAssets: calls * oneCall, ...(calls > 1 ? { calls } : {}) };
  }

  /** Cells for the continuation of a shard, which has these assets left. */
  forAssets(assetIndexes: readonly number[]): [number, CellIndexes][] {
    return assetIndexes.flatMap((assetIndex): [number, CellIndexes][] => {
      const cell = this.#cells.get(assetIndex);
      return cell ? [[assetIndex, cell]] : [];
    });
  }

  /**
   * Calls of a step for assets that are ready.
   * @param mayArrive whether an asset that is not ready may still reach the step
   */
  callsOf(
    step: Pick<Step, 'batch' | 'cells' | 'allViews'>,
    ready: readonly StepEntry[],
    mayArrive: (assetIndex: number) => boolean,
    nowMs: number,
  ): ReadyCalls {
    if (step.cells === undefined || this.#cells.size === 0)
      return { calls: chunks(ready, step.batch), nextCheckAtMs: null };
    const { batch } = step;
    if (step.cells !== 'colorway') {
      const completeGroups = this.#completeGroups(
        ready,
        (assetIndex) => this.#modelOf(assetIndex),
        mayArrive,
        nowMs,
      );
      return { ...completeGroups, calls: flatChunks(completeGroups.calls, batch) };
    }
    if (!step.allViews) {
      const byKind = groupBy(
        ready,
        ({ assetIndex }) => this.#cells.get(assetIndex)?.slice(1).join(' ') ?? '',
      );
      const calls = [...byKind.values()].flatMap((taken) => chunks(taken, batch));
      return { calls, nextCheckAtMs: null };
    }
    const colorwayOf = (assetIndex: number) => this.#cells.get(assetIndex)?.[1] ?? -1;
    const viewGroupOf = (assetIndex: number) =>
      `${this.#modelOf(assetIndex)} ${colorwayOf(assetIndex)}`;
    const completeGroups = this.#completeGroups(ready, viewGroupOf, mayArrive, nowMs);
    const byColorway = groupBy(completeGroups.calls, ([first]) =>
      colorwayOf(first?.assetIndex ?? -1),
    );
    const calls = [...byColorway.values()].flatMap((views) => flatChunks(views, batch));
    return { ...completeGroups, calls };
  }

  /** Index of the first asset of the same model. */
  #modelOf(assetIndex: number): number {
    return this.#cells.get(assetIndex)?.[0] ?? assetIndex;
  }

  /** Groups that are complete, or whose waiting time is over. */
  #completeGroups<Group extends string | number>(
    ready: readonly StepEntry[],
    groupOf: (assetIndex: number) => Group,
    mayArrive: (assetIndex: number) => boolean,
    nowMs: number,
  ): ReadyCalls {
    const calls: StepEntry[][] = [];
    const times: number[] = [];
    for (const [group, taken] of groupBy(ready, ({ assetIndex }) => groupOf(assetIndex))) {
      const dueMs = Math.min(...taken.map(({ enteredAtMs }) => enteredAtMs)) + siblingWaitMs;
      const [first] = taken;
      const ofModel = first ? (this.#assetsOfModel.get(this.#modelOf(first.assetIndex)) ?? []) : [];
      const present = new Set(taken.map(({ assetIndex }) => assetIndex));
      const isMissing = (assetIndex: number) =>
        groupOf(assetIndex) === group && !present.has(assetIndex) && mayArrive(assetIndex);
      if (!ofModel.some(isMissing) || nowMs >= dueMs) calls.push(taken);
      else times.push(dueMs);
    }
    return { calls, nextCheckAtMs: times.length > 0 ? Math.min(...times) : null };
  }
}

/** Joins the given number of groups into one call. */
function flatChunks(groups: readonly StepEntry[][], batch: number): StepEntry[][] {
  return chunks(groups, batch).map((some) => some.flat());
}
