// Follows the list of finished outputs (newest first) from the top down to what is already known, and
// knows for which stretch of time its memory has no gap.
import type { z } from 'zod';
import type { RenderAsset } from '../../api/operations/renders.ts';

export type ListedRender = z.output<typeof RenderAsset>;
export type ReadPage = (page: { limit: number; offset: number }) => Promise<{
  renders: ListedRender[];
  total: number;
}>;

const pageSize = 100;
/** Pages overlap, so that an item lost to a deletion between two pages shows as a missing overlap. */
const overlap = 5;
/** A sweep may always read so far; further only where that saves requests. */
const pagesAlways = 20;
const pagesAtMost = 200;
/** Outputs remembered; older ones belong to jobs that ended long ago. */
const rememberedAtMost = 20_000;

/** One pass from the top: contiguous as long as each page overlaps the one before. */
interface Sweep {
  ids: string[];
  moved: Set<string>;
  /** It has met an item of the unbroken stretch, so everything newer than that has been read. */
  met: boolean;
}

export class RenderList {
  readonly #readPage: ReadPage;
  readonly #byProject = new Map<string, ListedRender[]>();
  /** Number of the stretch that each id belongs to; 0 for those that a broken sweep left behind. */
  readonly #known = new Map<string, number>();
  #stretch = 1;
  #completeSinceMs = Number.POSITIVE_INFINITY;
  /** Sweeps do not try again to reach what is older than this. */
  #outOfReachMs = Number.NEGATIVE_INFINITY;

  constructor(readPage: ReadPage) {
    this.#readPage = readPage;
  }

  /** Everything that finished at or after this time (platform clock) has been seen. */
  get completeSinceMs(): number {
    return this.#completeSinceMs;
  }

  outputsOf(projectId: string): readonly ListedRender[] {
    return this.#byProject.get(projectId) ?? [];
  }

  /**
   * Reads from the top until it meets what it knows, or what is older than `neededSinceMs`.
   * Returns the projects that have outputs it had not seen. Sweeps must not overlap in time.
   * @param saves requests that a complete list saves: one for each job that would be asked for alone.
   */
  async sweep(neededSinceMs: number, saves = 0): Promise<Set<string>> {
    const pages = Math.min(Math.max(pagesAlways, saves), pagesAtMost);
    const neededMs = Math.max(neededSinceMs, this.#outOfReachMs);
    const sweep: Sweep = { ids: [], moved: new Set(), met: false };
    for (let page = 0; page < pages; page += 1) {
      const offset = page * (pageSize - overlap);
      const { renders } = await this.#readPage({ limit: pageSize, offset });
      const last = sweep.ids.slice(-overlap);
      if (page > 0 && !renders.some(({ id }) => last.includes(id))) return this.#broken(sweep);
      this.#take(renders, sweep);
      if (renders.length < pageSize) return this.#reached(0, sweep);
      // Others may have finished in the same millisecond as the last one of the page.
      const readSinceMs = Date.parse(renders.at(-1)?.createdAt ?? '') + 1;
      const completeMs = sweep.met ? Math.min(this.#completeSinceMs, readSinceMs) : readSinceMs;
      if (completeMs <= neededMs) return this.#reached(completeMs, sweep);
      if (page < pages - 1) continue;
      this.#outOfReachMs = completeMs;
      return this.#reached(completeMs, sweep);
    }
    return sweep.moved;
  }

  #take(renders: readonly ListedRender[], sweep: Sweep): void {
    for (const item of renders) {
      const stretch = this.#known.get(item.id);
      if (stretch === this.#stretch) sweep.met = true;
      if (stretch === undefined) {
        this.#remember(item);
        sweep.moved.add(item.projectId);
      }
      sweep.ids.push(item.id);
    }
  }

  /** The pass had no gap: it lengthens the stretch that it met, or is a new one. */
  #reached(completeSinceMs: number, sweep: Sweep): Set<string> {
    if (!sweep.met) this.#stretch += 1;
    for (const id of sweep.ids) if (this.#known.has(id)) this.#known.set(id, this.#stretch);
    this.#completeSinceMs = completeSinceMs;
    this.#forget();
    return sweep.moved;
  }

  #broken(sweep: Sweep): Set<string> {
    this.#stretch += 1;
    this.#completeSinceMs = Number.POSITIVE_INFINITY;
    return sweep.moved;
  }

  #remember(item: ListedRender): void {
    this.#known.set(item.id, 0);
    const items = this.#byProject.get(item.projectId) ?? [];
    items.push(item);
    this.#byProject.set(item.projectId, items);
  }

  /** Drops whole projects, first seen first, and claims nothing for their time any more. */
  #forget(): void {
    for (const [project, items] of this.#byProject) {
      if (this.#known.size <= rememberedAtMost) return;
      this.#byProject.delete(project);
      for (const { id, createdAt } of items) {
        this.#known.delete(id);
        this.#completeSinceMs = Math.max(this.#completeSinceMs, Date.parse(createdAt) + 1);
      }
      this.#outOfReachMs = this.#completeSinceMs;
    }
  }
}
