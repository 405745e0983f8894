// The outputs of render jobs. `RenderList` follows the list of finished outputs from the newest to known ones, and
// tracks the time since which these outputs are complete. `OutputCounts` knows how many outputs a job has.
import type { ResponseOf } from '../../../api/contract/response-marks.ts';
import { ResponseShapeError } from '../../../api/errors/errors.ts';
import type { RenderAsset } from '../../../api/operations/renders.ts';
import { mapBounded } from '../../../store/objects/map-bounded.ts';

export type ListedRender = ResponseOf<typeof RenderAsset>;
type Page = readonly ListedRender[] & { readonly unread?: number };
interface ListResponse {
  renders: Page;
  total?: number | undefined;
}

export type ReadPage = (page: { limit: number; offset: number }) => Promise<ListResponse>;

const pageSize = 100;
/** Number of items by which pages overlap. Without the overlap, an item could be skipped after a deletion. */
const overlap = 5;
/**
 * Renders that finish between two page reads shift the list. A shift smaller than predicted leaves a gap, while a shift
 * up to a page larger is harmless. Because renders finish in bursts, the smallest of the last few shifts is predicted.
 */
const recentPages = 4;
/** Number of consecutive pages without overlap after which a sweep gives up. */
const maxMisses = 8;
/** Number of pages that a sweep may always read. It reads more pages only if that saves requests. */
const guaranteedPages = 20;
const maxPages = 200;
/** Maximum number of outputs that are kept. Older ones belong to jobs that finished long ago. */
const maxRemembered = 20_000;

/** One pass over the list from the top. The pass has no gap as long as each page overlaps the previous one. */
interface Sweep {
  ids: Set<string>;
  /** Ids of the last items of the previous page. */
  lastIds: readonly string[];
  /** Offset of the next page if the list does not shift, and the list's length at that time. Null if unknown. */
  nextPage: { offset: number; total: number | null };
  /** Length of the list at the last read, even if that page was rejected. */
  total: number | null;
  /** Number of items by which the list grew before each of the last few pages was read, oldest first. */
  recentGrowth: number[];
  changedProjects: Set<string>;
  /** True once the pass has reached an item of the current segment, so that everything newer has been read. */
  hasReachedKnown: boolean;
  /** Time since which the pages so far are complete. */
  completeAtMs: number;
}

export class RenderList {
  readonly #readPage: ReadPage;
  readonly #byProject = new Map<string, ListedRender[]>();
  /** Segment (gapless part of the list) of each id. 0 for ids of an unfinished or abandoned sweep. */
  readonly #segmentById = new Map<string, number>();
  #segment = 1;
  /** True if the last sweep left a gap above the current segment. */
  #hasGap = false;
  #completeSinceMs = Number.POSITIVE_INFINITY;
  /** Sweeps do not try to reach renders that are older than this time. */
  #outOfReachMs = Number.NEGATIVE_INFINITY;

  constructor(readPage: ReadPage) {
    this.#readPage = readPage;
  }

  /** All outputs that finished at or after this time (platform clock) are known. */
  get completeSinceMs(): number {
    return this.#hasGap ? Number.POSITIVE_INFINITY : this.#completeSinceMs;
  }

  outputsOf(projectId: string): readonly ListedRender[] {
    return this.#byProject.get(projectId) ?? [];
  }

  /**
   * Reads from the top until it reaches known outputs, or outputs older than `neededSinceMs`.
   * Returns the projects with new outputs. Sweeps must not run concurrently.
   * @param savedRequests number of requests that a complete list saves: one per job that would be read individually
   */
  async sweep(neededSinceMs: number, savedRequests = 0): Promise<Set<string>> {
    const pages = Math.min(Math.max(guaranteedPages, savedRequests), maxPages);
    const neededMs = Math.max(neededSinceMs, this.#outOfReachMs);
    const sweep = newSweep();
    let offset = 0;
    let misses = 0;
    try {
      for (let page = 0; page < pages; page += 1) {
        const response = await this.#readPage({ limit: pageSize, offset });
        const { renders, total = null } = response;
        const growth = growthOf(sweep.nextPage.total, total);
        const predictedGrowth = page === 0 ? 0 : predictGrowth(sweep, growthOf(sweep.total, total));
        sweep.total = total;
        const isLast = isLastPage(response, offset);
        if (page > 0 && isDiscontinuousPage(renders, sweep, isLast ? 0 : growth)) {
          misses += 1;
          if (misses >= maxMisses || total === null) return this.#abandonSweep(sweep);
          offset = clampOffset(total, sweep.nextPage.offset + growth + predictedGrowth);
          continue;
        }
        misses = 0;
        const hasNewItems = this.#addPage(renders, sweep) || isLast;
        const readSinceMs = completeSince(renders);
        const hasDates = readSinceMs < Number.POSITIVE_INFINITY;
        if (!hasNewItems || !hasDates || !isCompletePage(response, offset))
          return this.#stopSweep(sweep);
        sweep.completeAtMs = sweep.hasReachedKnown
          ? Math.min(this.#completeSinceMs, readSinceMs)
          : readSinceMs;
        if (sweep.completeAtMs <= neededMs) return this.#completeSweep(sweep);
        sweep.nextPage = { offset: offset + pageSize - overlap, total };
        offset = clampOffset(total, sweep.nextPage.offset + predictedGrowth);
      }
      return this.#stopSweep(sweep);
    } catch (error) {
      // An unusable list is not an error, because reading batches and jobs still finds the outputs.
      if (error instanceof ResponseShapeError) return this.#abandonSweep(sweep);
      throw error;
    }
  }

  /** Adds the page. Returns true if it contains items that are new to the sweep, or is empty. */
  #addPage(renders: Page, sweep: Sweep): boolean {
    const previousCount = sweep.ids.size;
    for (const item of renders) {
      const segment = this.#segmentById.get(item.id);
      if (segment === this.#segment) sweep.hasReachedKnown = true;
      if (segment === undefined) {
        this.#remember(item);
        sweep.changedProjects.add(item.projectId);
      }
      sweep.ids.add(item.id);
    }
    sweep.lastIds = renders.slice(-overlap).map(({ id }) => id);
    return sweep.ids.size > previousCount || renders.length === 0;
  }

  /** Ends a sweep that went as far as possible. Later sweeps do not try older pages. */
  #stopSweep(sweep: Sweep): Set<string> {
    if (sweep.completeAtMs === Number.POSITIVE_INFINITY) return this.#abandonSweep(sweep);
    this.#outOfReachMs = sweep.completeAtMs;
    return this.#completeSweep(sweep);
  }

  /** Ends a pass without a gap. The pass extends the segment that it reached, or starts a new one. */
  #completeSweep({ ids, hasReachedKnown, changedProjects, completeAtMs }: Sweep): Set<string> {
    if (!hasReachedKnown) this.#segment += 1;
    this.#hasGap = false;
    for (const id of ids) if (this.#segmentById.has(id)) this.#segmentById.set(id, this.#segment);
    this.#completeSinceMs = completeAtMs;
    this.#dropOldest();
    return changedProjects;
  }

  /** Ends a pass with a gap. The old segment is complete again once a later sweep reaches it. */
  #abandonSweep(sweep: Sweep): Set<string> {
    this.#hasGap = true;
    return sweep.changedProjects;
  }

  #remember(item: ListedRender): void {
    this.#segmentById.set(item.id, 0);
    const items = this.#byProject.get(item.projectId) ?? [];
    items.push(item);
    this.#byProject.set(item.projectId, items);
  }

  /** Drops whole projects, oldest first, and moves the time of completeness accordingly. */
  #dropOldest(): void {
    for (const [project, items] of this.#byProject) {
      if (this.#segmentById.size <= maxRemembered) return;
      this.#byProject.delete(project);
      for (const item of items) {
        this.#segmentById.delete(item.id);
        this.#completeSinceMs = Math.max(this.#completeSinceMs, finishedAtMs(item) + 1);
      }
      this.#outOfReachMs = this.#completeSinceMs;
    }
  }
}

function newSweep(): Sweep {
  return {
    ids: new Set(),
    lastIds: [],
    nextPage: { offset: 0, total: null },
    total: null,
    recentGrowth: [],
    changedProjects: new Set(),
    hasReachedKnown: false,
    completeAtMs: Number.POSITIVE_INFINITY,
  };
}

function clampOffset(total: number | null, offset: number): number {
  return Math.max(0, total === null ? offset : Math.min(offset, total - overlap));
}

/** Predicts the minimum growth of the list until the next page is read. */
function predictGrowth({ recentGrowth }: Sweep, growth: number): number {
  recentGrowth.push(growth);
  if (recentGrowth.length > recentPages) recentGrowth.shift();
  return recentGrowth.length === 1 ? 0 : Math.max(0, Math.min(...recentGrowth));
}

/** True if the page does not overlap the previous one, or the list has grown so much that the page has nothing new. */
function isDiscontinuousPage(renders: Page, { lastIds, ids }: Sweep, growth: number): boolean {
  const hasOverlap = renders.some(({ id }) => lastIds.includes(id));
  return !hasOverlap || (growth > 0 && renders.every(({ id }) => ids.has(id)));
}

/** Returns the number of new renders minus deleted ones, or 0 if the length of the list is unknown. */
function growthOf(previousTotal: number | null, total: number | null): number {
  return previousTotal === null || total === null ? 0 : total - previousTotal;
}

/** True if all items of the page could be parsed, and the page is full or the last. */
function isCompletePage({ renders, total = 0 }: ListResponse, offset: number): boolean {
  if ((renders.unread ?? 0) > 0) return false;
  return renders.length >= pageSize || offset + renders.length >= total;
}

function isLastPage({ renders, total }: ListResponse, offset: number): boolean {
  return total !== undefined && renders.length < pageSize && offset + renders.length >= total;
}

/** Returns the time since which this page and the previous ones are complete. */
function completeSince(renders: Page): number {
  if (renders.length < pageSize) return 0;
  const last = renders.findLast((item) => finishedAtMs(item) < Number.POSITIVE_INFINITY);
  // The next page may contain renders that finished in the same millisecond as the last one of this page.
  return (last === undefined ? Number.POSITIVE_INFINITY : finishedAtMs(last)) + 1;
}

/** Returns when a render finished. Infinity for a render without a date, which may have finished at any time. */
function finishedAtMs({ createdAt = '' }: ListedRender): number {
  const timeMs = Date.parse(createdAt);
  return Number.isNaN(timeMs) ? Number.POSITIVE_INFINITY : timeMs;
}

/** A job's kind (`outputCountKey`) and the time of its submission. */
export interface CountedJob {
  /** Jobs with the same value, submitted at about the same time, have the same number of outputs. Absent if unknown. */
  outputCountKey?: string | undefined;
  /** Platform clock at submission, ISO 8601. */
  submittedAt: string;
}

/** Jobs submitted within this time are assumed to use the same state of the template, which may be edited in a run. */
const maxApartMs = 10_000;
/** Maximum number of counts per kind, and of kinds. */
const maxKept = 50;
export const maxConcurrentReads = 8;

export class OutputCounts {
  readonly #countedJobsByKey = new Map<string, (CountedJob & { outputs: number })[]>();
  #pendingCount: Promise<void> = Promise.resolve();

  /** Returns the count of the nearest counted job, or undefined if none of the same kind and time was counted. */
  countFor(job: CountedJob): number | undefined {
    const [nearest] = (this.#countedJobsByKey.get(job.outputCountKey ?? '') ?? [])
      .filter((countedJob) => canShareOutputCount(countedJob, job))
      .sort((a, b) => submissionGapMs(a, job) - submissionGapMs(b, job));
    return nearest?.outputs;
  }

  /** Counts the outputs of one job of each uncounted kind. Runs sequentially, so that jobs are not read twice. */
  countMissing<Job extends CountedJob>(
    jobs: readonly Job[],
    readCount: (job: Job) => Promise<number>,
  ): Promise<void> {
    const currentCount = this.#pendingCount.then(async () => {
      const uncountedJobs: Job[] = [];
      for (const job of jobs) {
        if (job.outputCountKey === undefined || this.countFor(job) !== undefined) continue;
        if (!uncountedJobs.some((other) => canShareOutputCount(other, job)))
          uncountedJobs.push(job);
      }
      const count = async (job: Job) => this.add(job, await readCount(job));
      await mapBounded(uncountedJobs, count, { maxConcurrent: maxConcurrentReads });
    });
    this.#pendingCount = currentCount.catch(() => {});
    return currentCount;
  }

  /** Stores the count of a job. Ignores zero, because outputs may still appear. */
  add({ outputCountKey = '', submittedAt }: CountedJob, outputs: number): void {
    if (outputs === 0) return;
    const countedJobs = this.#countedJobsByKey.get(outputCountKey) ?? [];
    // The kind is inserted again, so that the kind counted longest ago comes first.
    this.#countedJobsByKey.delete(outputCountKey);
    this.#countedJobsByKey.set(
      outputCountKey,
      [...countedJobs, { outputCountKey, submittedAt, outputs }].slice(-maxKept),
    );
    const [oldest] = this.#countedJobsByKey.keys();
    if (this.#countedJobsByKey.size > maxKept && oldest !== undefined)
      this.#countedJobsByKey.delete(oldest);
  }
}

/** True if the output count of one job is valid for the other. */
function canShareOutputCount(a: CountedJob, b: CountedJob): boolean {
  return a.outputCountKey === b.outputCountKey && submissionGapMs(a, b) <= maxApartMs;
}

function submissionGapMs(a: CountedJob, b: CountedJob): number {
  return Math.abs(Date.parse(a.submittedAt) - Date.parse(b.submittedAt));
}
