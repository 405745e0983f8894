// Indexes render jobs and outputs, so that lookups and lists need not scan all of them.
import { insertSorted } from '../state/insert-sorted.ts';
import type { OutputRecord, RenderJobRecord } from '../state/records.ts';
import type { Table } from '../state/table.ts';
import { finishedAtMsOf } from './renders.ts';

export interface PlacedOutput {
  readonly job: RenderJobRecord;
  readonly output: OutputRecord;
}

/** Callers keep the index in sync with the table of render jobs. `finishDueJobs` updates it to a time. */
export class RenderIndex {
  readonly #table: Table<OutputRecord>;
  readonly #byBatch = new Map<string, Set<RenderJobRecord>>();
  readonly #byProject = new Map<string, Set<RenderJobRecord>>();
  readonly #outputs = new Map<string, PlacedOutput>();
  /** Jobs whose time was not over at the last update, latest end first. */
  #openJobs: RenderJobRecord[] = [];
  /** Jobs whose time is over and whose pictures are not drawn yet. */
  readonly #exporting = new Set<RenderJobRecord>();
  #finishedOutputs: PlacedOutput[] = [];

  constructor(outputs: Table<OutputRecord>) {
    this.#table = outputs;
  }

  /** Rebuilds from stored jobs. */
  load(jobs: readonly RenderJobRecord[]): void {
    this.clear();
    for (const job of jobs) this.add(job);
  }

  add(job: RenderJobRecord): void {
    this.#indexJob(job);
    insertSorted(this.#openJobs, job, ({ endAt }) => endAt);
  }

  /** Removes a job. To run a job again, remove it before its record changes, and add it afterwards. */
  remove(job: RenderJobRecord): void {
    this.#byBatch.get(job.batchId)?.delete(job);
    this.#byProject.get(job.projectId)?.delete(job);
    for (const id of job.outputIds) this.#outputs.delete(id);
    this.#openJobs = this.#openJobs.filter((openJob) => openJob !== job);
    this.#exporting.delete(job);
    this.#finishedOutputs = this.#finishedOutputs.filter(
      (placedOutput) => placedOutput.job !== job,
    );
  }

  /** Moves the jobs that have ended by now to the finished jobs. */
  finishDueJobs(nowMs: number): void {
    for (
      let next = this.#openJobs.at(-1);
      next && next.endAt <= nowMs;
      next = this.#openJobs.at(-1)
    ) {
      this.#openJobs.pop();
      this.#exporting.add(next);
    }
    for (const job of this.#exporting) {
      const hasEnded = job.cancelledAt !== undefined || job.failure !== undefined;
      if (!hasEnded && job.drawnAt === undefined) continue;
      this.#exporting.delete(job);
      if (!hasEnded) this.#finish(job);
    }
  }

  /** Outputs of completed jobs, latest last. */
  get finished(): readonly PlacedOutput[] {
    return this.#finishedOutputs;
  }

  output(id: string): PlacedOutput | undefined {
    return this.#outputs.get(id);
  }

  ofJob(job: RenderJobRecord): PlacedOutput[] {
    return job.outputIds.flatMap((id) => {
      const output = this.#table.get(id);
      return output ? [{ job, output }] : [];
    });
  }

  ofBatch(batchId: string): ReadonlySet<RenderJobRecord> | undefined {
    return this.#byBatch.get(batchId);
  }

  ofProject(projectId: string): ReadonlySet<RenderJobRecord> {
    return this.#byProject.get(projectId) ?? new Set();
  }

  clear(): void {
    this.#byBatch.clear();
    this.#byProject.clear();
    this.#outputs.clear();
    this.#exporting.clear();
    this.#openJobs = [];
    this.#finishedOutputs = [];
  }

  // Inserts by time, because pictures may be finished in a different order than their jobs.
  #finish(job: RenderJobRecord): void {
    const finishedAtMs = finishedAtMsOf(job);
    const isLater = (other: PlacedOutput | undefined) =>
      other !== undefined && finishedAtMsOf(other.job) > finishedAtMs;
    let index = this.#finishedOutputs.length;
    while (isLater(this.#finishedOutputs[index - 1])) index -= 1;
    this.#finishedOutputs.splice(index, 0, ...this.ofJob(job));
  }

  #indexJob(job: RenderJobRecord): void {
    setOf(this.#byBatch, job.batchId).add(job);
    setOf(this.#byProject, job.projectId).add(job);
    for (const placedOutput of this.ofJob(job))
      this.#outputs.set(placedOutput.output.id, placedOutput);
  }
}

function setOf<K, V>(map: Map<K, Set<V>>, key: K): Set<V> {
  const existingSet = map.get(key);
  if (existingSet) return existingSet;
  const newSet = new Set<V>();
  map.set(key, newSet);
  return newSet;
}
