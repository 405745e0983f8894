// Decides which cells of a grid share a call. Pure, so that it can be replayed.
import { chunks } from '../helpers/chunks.ts';
import { groupBy } from '../helpers/group-by.ts';
import type { Step } from '../types.ts';
import type { Batching, CellIndexes } from './step-contract.ts';

export interface StepEntry {
  assetIndex: number;
  /** When the asset became ready for the step. */
  enteredAtMs: number;
}

/** How long a step waits for other cells of the same group before it continues without them. */
const siblingWaitMs = 2 * 60_000;

/** Calls that a step may make now. `nextCheckAtMs`: when to check cells again that wait for others of their group. */
export interface ReadyCalls {
  calls: StepEntry[][];
  nextCheckAtMs: number | null;
}

export class CellBatcher {
  /** Cells by asset index. Empty if the plan has no grid. */
  readonly #cells: ReadonlyMap<number, CellIndexes>;

  constructor(cells: readonly (readonly [at: number, cell: CellIndexes])[] = []) {
    this.#cells = new Map(cells);
  }

  /** Number of different combinations of positions in the shard. A step that is not shared makes one call for each. */
  get combinationCount(): number {
    return new Set([...this.#cells.values()].map(([, ...kind]) => kind.join(' '))).size;
  }

  /** Returns how many results a wait collects before it reports them. @param next the steps after the wait */
  batchingFor({ batchesCells }: Step, next: readonly Step[]): Batching {
    const calls = batchesCells ? Math.max(this.combinationCount, 1) : 1;
    const oneCall = Math.min(50, ...next.map(({ batch }) => batch));
    return { batchAssets: calls * oneCall, ...(calls > 1 ? { calls } : {}) };
  }

  /** Returns the cells of these assets, for the continuation of the shard. */
  forAssets(assetIndexes: readonly number[]): [number, CellIndexes][] {
    return assetIndexes.flatMap((assetIndex): [number, CellIndexes][] => {
      const cell = this.#cells.get(assetIndex);
      return cell ? [[assetIndex, cell]] : [];
    });
  }

  /** Returns the calls for ready assets. @param mayArrive true if another asset may still reach the step */
  callsOf(
    { batch, cells }: Pick<Step, 'batch' | 'cells'>,
    readyEntries: readonly StepEntry[],
    mayArrive: (assetIndex: number) => boolean,
    nowMs: number,
  ): ReadyCalls {
    if (cells === undefined || this.#cells.size === 0)
      return { calls: chunks(readyEntries, batch), nextCheckAtMs: null };
    const combinationOf = (assetIndex: number) =>
      this.#cells
        .get(assetIndex)
        ?.slice(1, 1 + cells.calls)
        .join(' ') ?? '';
    const siblingsOf = (assetIndex: number) => {
      const [group = assetIndex] = this.#cells.get(assetIndex) ?? [];
      return `${group} ${combinationOf(assetIndex)}`;
    };
    const complete = this.#completeSiblings(readyEntries, siblingsOf, mayArrive, nowMs);
    const byKind = groupBy(complete.calls, ([first]) => combinationOf(first?.assetIndex ?? -1));
    const calls = [...byKind.values()].flatMap((siblings) =>
      // Each call has up to `batch` groups.
      chunks(siblings, batch).map((groups) => groups.flat()),
    );
    return { ...complete, calls };
  }

  /**
   * Returns as `calls` the ready siblings: cells of a group that belong in one call. Siblings are omitted while one of
   * them may still arrive and their waiting time is not over.
   */
  #completeSiblings(
    readyEntries: readonly StepEntry[],
    siblingsOf: (assetIndex: number) => string,
    mayArrive: (assetIndex: number) => boolean,
    nowMs: number,
  ): ReadyCalls {
    const allSiblings = groupBy(this.#cells.keys(), siblingsOf);
    const calls: StepEntry[][] = [];
    const times: number[] = [];
    for (const [siblings, entries] of groupBy(readyEntries, ({ assetIndex }) =>
      siblingsOf(assetIndex),
    )) {
      const dueAtMs = Math.min(...entries.map(({ enteredAtMs }) => enteredAtMs)) + siblingWaitMs;
      const presentIndexes = new Set(entries.map(({ assetIndex }) => assetIndex));
      const isMissing = (assetIndex: number) =>
        !presentIndexes.has(assetIndex) && mayArrive(assetIndex);
      if (!allSiblings.get(siblings)?.some(isMissing) || nowMs >= dueAtMs) calls.push(entries);
      else times.push(dueAtMs);
    }
    return { calls, nextCheckAtMs: times.length > 0 ? Math.min(...times) : null };
  }
}
