// Follows the list of finished outputs (newest first) from the top down to what is already known, and
// knows for which stretch of time its memory has no gap.
import type { AnswerOf } from '../../api/answer-parts.ts';
import { ResponseShapeError } from '../../api/errors.ts';
import type { RenderAsset } from '../../api/operations/renders.ts';

export type ListedRender = AnswerOf<typeof RenderAsset>;
type Page = readonly ListedRender[] & { readonly unread?: number };
interface Answer {
  renders: Page;
  total?: number | undefined;
}
export type ReadPage = (page: { limit: number; offset: number }) => Promise<Answer>;

const pageSize = 100;
/** Pages overlap, so that an item lost to a deletion between two pages shows as a missing overlap. */
const overlap = 5;
/**
 * Renders that finish from one page to the next shift the list. They come in bursts, and a page that was shifted by less than was
 * foreseen leaves a gap, while one that was shifted by up to a page more still goes on: the least of the last few is foreseen.
 */
const shiftsKept = 4;
/** Pages beside the mark, one after the other, after which a sweep gives up. */
const missesAtMost = 8;
/** A sweep may always read so far; further only where that saves requests. */
const pagesAlways = 20;
const pagesAtMost = 200;
/** Outputs remembered; older ones belong to jobs that ended long ago. */
const rememberedAtMost = 20_000;

/** One pass from the top: contiguous as long as each page overlaps the one before. */
interface Sweep {
  ids: Set<string>;
  /** Ids of the last items of the page before. */
  last: readonly string[];
  /** Where the next page begins if the list does not move, and the length of the list by then; null: it does not say. */
  next: { offset: number; total: number | null };
  /** Length of the list at the last page, whatever became of it. */
  total: number | null;
  /** By how much the list has grown from page to page, lately. */
  shifts: number[];
  moved: Set<string>;
  /** True once it has met an item of the unbroken stretch, so that everything newer has been read. */
  met: boolean;
  /** Time since when the pages so far are complete. */
  completeMs: number;
}

export class RenderList {
  readonly #readPage: ReadPage;
  readonly #byProject = new Map<string, ListedRender[]>();
  /** Number of the stretch that each id belongs to; 0 for those that a broken sweep left behind. */
  readonly #known = new Map<string, number>();
  #stretch = 1;
  /** The last sweep has left a gap above the stretch. */
  #isBroken = false;
  #completeSinceMs = Number.POSITIVE_INFINITY;
  /** Sweeps do not try again to reach older renders than this. */
  #outOfReachMs = Number.NEGATIVE_INFINITY;

  constructor(readPage: ReadPage) {
    this.#readPage = readPage;
  }

  /** Everything that finished at or after this time (platform clock) has been seen. */
  get completeSinceMs(): number {
    return this.#isBroken ? Number.POSITIVE_INFINITY : this.#completeSinceMs;
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
    const sweep = newSweep();
    let offset = 0;
    let misses = 0;
    try {
      for (let page = 0; page < pages; page += 1) {
        const answer = await this.#readPage({ limit: pageSize, offset });
        const { renders, total = null } = answer;
        const grown = growthOf(sweep.next.total, total);
        const meanwhile = page === 0 ? 0 : foreseen(sweep, growthOf(sweep.total, total));
        sweep.total = total;
        const isEnd = isEndOf(answer, offset);
        const isBeside = page > 0 && isBesideMark(renders, sweep, isEnd ? 0 : grown);
        misses = isBeside ? misses + 1 : 0;
        if (isBeside) {
          if (misses >= missesAtMost || total === null) return this.#broken(sweep);
          offset = within(total, sweep.next.offset + grown + meanwhile);
          continue;
        }
        const isNews = this.#take(renders, sweep) || isEnd;
        const readSinceMs = sinceOf(renders);
        const isTimed = readSinceMs < Number.POSITIVE_INFINITY;
        if (!isNews || !isTimed || !isWhole(answer, offset)) return this.#stopped(sweep);
        sweep.completeMs = sweep.met ? Math.min(this.#completeSinceMs, readSinceMs) : readSinceMs;
        if (sweep.completeMs <= neededMs) return this.#reached(sweep);
        sweep.next = { offset: offset + pageSize - overlap, total };
        offset = within(total, sweep.next.offset + meanwhile);
      }
      return this.#stopped(sweep);
    } catch (error) {
      // The batches and the jobs tell what a broken list cannot.
      if (error instanceof ResponseShapeError) return this.#broken(sweep);
      throw error;
    }
  }

  /** True where the page brings anything that the sweep has not met; an empty page has nothing to bring. */
  #take(renders: Page, sweep: Sweep): boolean {
    const before = sweep.ids.size;
    for (const item of renders) {
      const stretch = this.#known.get(item.id);
      if (stretch === this.#stretch) sweep.met = true;
      if (stretch === undefined) {
        this.#remember(item);
        sweep.moved.add(item.projectId);
      }
      sweep.ids.add(item.id);
    }
    sweep.last = renders.slice(-overlap).map(({ id }) => id);
    return sweep.ids.size > before || renders.length === 0;
  }

  /** Ends a sweep that went as far as it can; older pages are not tried again. */
  #stopped(sweep: Sweep): Set<string> {
    if (sweep.completeMs === Number.POSITIVE_INFINITY) return this.#broken(sweep);
    this.#outOfReachMs = sweep.completeMs;
    return this.#reached(sweep);
  }

  /** The pass had no gap: it lengthens the stretch that it met, or is a new one. */
  #reached({ ids, met, moved, completeMs }: Sweep): Set<string> {
    if (!met) this.#stretch += 1;
    this.#isBroken = false;
    for (const id of ids) if (this.#known.has(id)) this.#known.set(id, this.#stretch);
    this.#completeSinceMs = completeMs;
    this.#forget();
    return moved;
  }

  /** What was complete before is so still, once a sweep meets it. */
  #broken(sweep: Sweep): Set<string> {
    this.#isBroken = true;
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
      for (const item of items) {
        this.#known.delete(item.id);
        this.#completeSinceMs = Math.max(this.#completeSinceMs, timeOf(item) + 1);
      }
      this.#outOfReachMs = this.#completeSinceMs;
    }
  }
}

function newSweep(): Sweep {
  const completeMs = Number.POSITIVE_INFINITY;
  const next = { offset: 0, total: null };
  const before = { ids: new Set<string>(), last: [], shifts: [], moved: new Set<string>() };
  return { ...before, next, total: null, met: false, completeMs };
}

/** Not behind the end of the list as it was, nor before its beginning. */
function within(total: number | null, offset: number): number {
  return Math.max(0, total === null ? offset : Math.min(offset, total - overlap));
}

/** By how much the list will have grown at the next page, at least. */
function foreseen({ shifts }: Sweep, shift: number): number {
  shifts.push(shift);
  if (shifts.length > shiftsKept) shifts.shift();
  return shifts.length === 1 ? 0 : Math.max(0, Math.min(...shifts));
}

/** The page does not go on where the one before it ended, or the list has grown so much that it ends there. */
function isBesideMark(renders: Page, { last, ids }: Sweep, grown: number): boolean {
  const goesOn = renders.some(({ id }) => last.includes(id));
  return !goesOn || (grown > 0 && renders.every(({ id }) => ids.has(id)));
}

/** Renders that have come meanwhile, less those that were deleted; 0 where the list does not say how long it is. */
function growthOf(before: number | null, now: number | null): number {
  return before === null || now === null ? 0 : now - before;
}

/** All of a page could be read, and it is full or the last. */
function isWhole({ renders, total = 0 }: Answer, offset: number): boolean {
  if ((renders.unread ?? 0) > 0) return false;
  return renders.length >= pageSize || offset + renders.length >= total;
}

/** A page that is not full, since the list ends there. */
function isEndOf({ renders, total }: Answer, offset: number): boolean {
  return total !== undefined && renders.length < pageSize && offset + renders.length >= total;
}

/** Everything that finished then or later is on this page or those before it. */
function sinceOf(renders: Page): number {
  if (renders.length < pageSize) return 0;
  const last = renders.findLast((item) => timeOf(item) < Number.POSITIVE_INFINITY);
  // Other renders may have finished in the same millisecond as the last one of the page.
  return (last === undefined ? Number.POSITIVE_INFINITY : timeOf(last)) + 1;
}

/** A render without a date may have finished at any time. */
function timeOf({ createdAt = '' }: ListedRender): number {
  const timeMs = Date.parse(createdAt);
  return Number.isNaN(timeMs) ? Number.POSITIVE_INFINITY : timeMs;
}
