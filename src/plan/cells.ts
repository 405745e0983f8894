// The cells of a colorway grid in a shard: which calls share them. Pure, so that it replays.
import { chunks } from './chunks.ts';
import { groupBy } from './group-by.ts';
import type { Taken } from './shard-state.ts';
import type { CellAt } from './step-contract.ts';
import type { Step } from './types.ts';

/** Colorways of a model are waited for so long before those that have come go on without the others. */
const waitsForOthersMs = 2 * 60_000;

/** What a step may take now, and when it is to be asked again for what waits for other colorways of its model. */
export interface Calls {
  calls: Taken[][];
  askAgainAtMs: number | null;
}

export class Cells {
  /** By position; none where assets are no cells. */
  readonly #cells: ReadonlyMap<number, CellAt>;
  readonly #ofModel: ReadonlyMap<number, number[]>;

  constructor(cells: readonly (readonly [at: number, cell: CellAt])[] = []) {
    this.#cells = new Map(cells);
    this.#ofModel = groupBy(this.#cells.keys(), (at) => this.#modelOf(at));
  }

  /** For the continuation of a shard that has these positions left. */
  of(positions: readonly number[]): [number, CellAt][] {
    return positions.flatMap((at): [number, CellAt][] => {
      const cell = this.#cells.get(at);
      return cell ? [[at, cell]] : [];
    });
  }

  /**
   * Calls of a step for assets that are ready for it.
   * @param mayCome whether an asset that is not ready may still come to the step
   */
  callsOf(
    step: Pick<Step, 'batch' | 'cells'>,
    ready: readonly Taken[],
    mayCome: (at: number) => boolean,
    nowMs: number,
  ): Calls {
    if (step.cells === undefined || this.#cells.size === 0)
      return { calls: chunks(ready, step.batch), askAgainAtMs: null };
    if (step.cells === 'colorway')
      return { calls: this.#byColorway(ready, step.batch), askAgainAtMs: null };
    return this.#byModel(ready, step.batch, mayCome, nowMs);
  }

  /** Position of the first asset of its model. */
  #modelOf(at: number): number {
    return this.#cells.get(at)?.[0] ?? at;
  }

  #byColorway(ready: readonly Taken[], batch: number): Taken[][] {
    const byColorway = groupBy(ready, ({ at }) => this.#cells.get(at)?.[1] ?? -1);
    return [...byColorway.values()].flatMap((taken) => chunks(taken, batch));
  }

  #byModel(
    ready: readonly Taken[],
    batch: number,
    mayCome: (at: number) => boolean,
    nowMs: number,
  ): Calls {
    const models: Taken[][] = [];
    const times: number[] = [];
    for (const [model, taken] of groupBy(ready, ({ at }) => this.#modelOf(at))) {
      const dueMs = Math.min(...taken.map(({ enteredAtMs }) => enteredAtMs)) + waitsForOthersMs;
      const all = this.#ofModel.get(model) ?? [];
      const here = new Set(taken.map(({ at }) => at));
      const isWhole = !all.some((at) => !here.has(at) && mayCome(at));
      if (isWhole || nowMs >= dueMs) models.push(taken);
      else times.push(dueMs);
    }
    return {
      calls: chunks(models, batch).map((some) => some.flat()),
      askAgainAtMs: times.length > 0 ? Math.min(...times) : null,
    };
  }
}
