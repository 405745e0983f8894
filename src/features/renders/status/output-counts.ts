// Remembers how many outputs jobs of each kind have. A template may be edited during a run, so a count is valid only
// for jobs submitted at about the same time. Pure.

/** A job's kind (`outputCountKey`) and the time of its submission. */
export interface CountedJob {
  outputCountKey?: string | undefined;
  /** Platform clock, ISO 8601. */
  submittedAt: string;
}

/** Jobs submitted within this time are assumed to use the same state of the template. */
const maxApartMs = 10_000;
/** Maximum counts per kind, and maximum kinds. */
const maxKept = 50;

/** True if the output count of one job is valid for the other. */
export function canShareOutputCount(a: CountedJob, b: CountedJob): boolean {
  return a.outputCountKey === b.outputCountKey && submissionGapMs(a, b) <= maxApartMs;
}

export class OutputCounts {
  readonly #countedJobsByKey = new Map<string, (CountedJob & { outputs: number })[]>();

  /** The count of the nearest counted job; undefined if none of the same kind and time was counted. */
  countFor(job: CountedJob): number | undefined {
    const [nearest] = (this.#countedJobsByKey.get(job.outputCountKey ?? '') ?? [])
      .filter((countedJob) => canShareOutputCount(countedJob, job))
      .sort((a, b) => submissionGapMs(a, job) - submissionGapMs(b, job));
    return nearest?.outputs;
  }

  /** Remembers the count of a job. Ignores zero, because outputs may still appear. */
  add({ outputCountKey = '', submittedAt }: CountedJob, outputs: number): void {
    if (outputs === 0) return;
    const countedJobs = this.#countedJobsByKey.get(outputCountKey) ?? [];
    // Reinserted, so that the kind that was counted longest ago comes first.
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

function submissionGapMs(a: CountedJob, b: CountedJob): number {
  return Math.abs(Date.parse(a.submittedAt) - Date.parse(b.submittedAt));
}
