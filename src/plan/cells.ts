// The cells of a colorway grid in a shard: which calls share them. Pure, so that it replays.
import { chunks } from './chunks.ts';
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
  readonly #ofModel = new Map<number, number[]>();

  constructor(cells: readonly (readonly [at: number, cell: CellAt])[] = []) {
    this.#cells = new Map(cells);
    for (const [at, [model]] of cells) {
      this.#ofModel.set(model, [...(this.#ofModel.get(model) ?? []), at]);
    }
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

  #byColorway(ready: readonly Taken[], batch: number): Taken[][] {
    const byColorway = grouped(ready, ({ at }) => this.#cells.get(at)?.[1] ?? -1);
    return byColorway.flatMap((taken) => chunks(taken, batch));
  }

  #byModel(
    ready: readonly Taken[],
    batch: number,
    mayCome: (at: number) => boolean,
    nowMs: number,
  ): Calls {
    const models: Taken[][] = [];
    const times: number[] = [];
    for (const taken of grouped(ready, ({ at }) => this.#cells.get(at)?.[0] ?? at)) {
      const [first] = taken;
      const dueMs = Math.min(...taken.map(({ enteredAtMs }) => enteredAtMs)) + waitsForOthersMs;
      const model = first && this.#cells.get(first.at)?.[0];
      const all = model === undefined ? [] : (this.#ofModel.get(model) ?? []);
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

/** In the order in which the groups first come. */
function grouped<Item>(items: readonly Item[], keyOf: (item: Item) => number): Item[][] {
  const groups = new Map<number, Item[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return [...groups.values()];
}
