// Decides which cells of a colorway grid share a call. Pure, so that it can be replayed.
import { chunks } from './chunks.ts';
import { groupBy } from './group-by.ts';
import type { CellAt, Gathering } from './step-contract.ts';
import type { Step } from './types.ts';

/** An asset that enters a step. */
export interface Taken {
  at: number;
  /** When it became ready for the step. */
  enteredAtMs: number;
}

/** How long a step waits for other colorways of the same model before it continues without them. */
const waitsForOthersMs = 2 * 60_000;

/** Calls that a step may make now, and when to check again for cells that wait for other colorways of their model. */
export interface Calls {
  calls: Taken[][];
  askAgainAtMs: number | null;
}

export class Cells {
  /** By asset index; empty if assets are no cells. */
  readonly #cells: ReadonlyMap<number, CellAt>;
  readonly #ofModel: ReadonlyMap<number, number[]>;

  constructor(cells: readonly (readonly [at: number, cell: CellAt])[] = []) {
    this.#cells = new Map(cells);
    this.#ofModel = groupBy(this.#cells.keys(), (at) => this.#modelOf(at));
  }

  /** Number of existing combinations of colorway and view. A step that is not shared makes one call for each. */
  get kinds(): number {
    return new Set([...this.#cells.values()].map(([, ...kind]) => kind.join(' '))).size;
  }

  /**
   * How many results a wait collects before it reports them.
   * @param next the steps after it
   */
  gatheringFor({ gathersCells }: Step, next: readonly Step[]): Gathering {
    const calls = gathersCells ? Math.max(this.kinds, 1) : 1;
    const oneCall = Math.min(50, ...next.map(({ batch }) => batch));
    return { gather: calls * oneCall, ...(calls > 1 ? { calls } : {}) };
  }

  /** Cells for the continuation of a shard, which has these assets left. */
  of(positions: readonly number[]): [number, CellAt][] {
    return positions.flatMap((at): [number, CellAt][] => {
      const cell = this.#cells.get(at);
      return cell ? [[at, cell]] : [];
    });
  }

  /**
   * Calls of a step for assets that are ready.
   * @param mayCome whether an asset that is not ready may still reach the step
   */
  callsOf(
    step: Pick<Step, 'batch' | 'cells' | 'allViews'>,
    ready: readonly Taken[],
    mayCome: (at: number) => boolean,
    nowMs: number,
  ): Calls {
    if (step.cells === undefined || this.#cells.size === 0)
      return { calls: chunks(ready, step.batch), askAgainAtMs: null };
    const { batch } = step;
    if (step.cells !== 'colorway') {
      const whole = this.#whole(ready, (at) => this.#modelOf(at), mayCome, nowMs);
      return { ...whole, calls: flatChunks(whole.calls, batch) };
    }
    if (!step.allViews) {
      const alike = groupBy(ready, ({ at }) => this.#cells.get(at)?.slice(1).join(' ') ?? '');
      const calls = [...alike.values()].flatMap((taken) => chunks(taken, batch));
      return { calls, askAgainAtMs: null };
    }
    const colorwayOf = (at: number) => this.#cells.get(at)?.[1] ?? -1;
    const viewedOf = (at: number) => `${this.#modelOf(at)} ${colorwayOf(at)}`;
    const whole = this.#whole(ready, viewedOf, mayCome, nowMs);
    const byColorway = groupBy(whole.calls, ([first]) => colorwayOf(first?.at ?? -1));
    const calls = [...byColorway.values()].flatMap((views) => flatChunks(views, batch));
    return { ...whole, calls };
  }

  /** Index of the first asset of the same model. */
  #modelOf(at: number): number {
    return this.#cells.get(at)?.[0] ?? at;
  }

  /** Groups that are complete, or whose waiting time is over. */
  #whole<Group extends string | number>(
    ready: readonly Taken[],
    groupOf: (at: number) => Group,
    mayCome: (at: number) => boolean,
    nowMs: number,
  ): Calls {
    const calls: Taken[][] = [];
    const times: number[] = [];
    for (const [group, taken] of groupBy(ready, ({ at }) => groupOf(at))) {
      const dueMs = Math.min(...taken.map(({ enteredAtMs }) => enteredAtMs)) + waitsForOthersMs;
      const [first] = taken;
      const ofModel = first ? (this.#ofModel.get(this.#modelOf(first.at)) ?? []) : [];
      const here = new Set(taken.map(({ at }) => at));
      const isMissing = (at: number) => groupOf(at) === group && !here.has(at) && mayCome(at);
      if (!ofModel.some(isMissing) || nowMs >= dueMs) calls.push(taken);
      else times.push(dueMs);
    }
    return { calls, askAgainAtMs: times.length > 0 ? Math.min(...times) : null };
  }
}

/** Joins the given number of groups into one call. */
function flatChunks(groups: readonly Taken[][], batch: number): Taken[][] {
  return chunks(groups, batch).map((some) => some.flat());
}
