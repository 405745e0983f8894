// Remembers how many outputs jobs have, by reading one job of each kind. A template may be edited during a run, so a count is
// valid only for jobs submitted at about the same time. Pure.

/** A job's kind (`alike`) and the time of its submission. */
export interface Submitted {
  alike?: string | undefined;
  /** Platform clock, ISO 8601. */
  submittedAt: string;
}

/** Jobs submitted within this time are assumed to use the same state of the template. */
const apartAtMostMs = 10_000;
/** Maximum counts per kind, and maximum kinds. */
const keptAtMost = 50;

/** True if the output count of one job is valid for the other. */
export function areAlike(one: Submitted, other: Submitted): boolean {
  return one.alike === other.alike && apartMs(one, other) <= apartAtMostMs;
}

export class OutputCounts {
  readonly #counted = new Map<string, (Submitted & { outputs: number })[]>();

  /** The count of the nearest counted job; undefined if none of the same kind and time was counted. */
  of(job: Submitted): number | undefined {
    const [nearest] = (this.#counted.get(job.alike ?? '') ?? [])
      .filter((counted) => areAlike(counted, job))
      .sort((one, other) => apartMs(one, job) - apartMs(other, job));
    return nearest?.outputs;
  }

  /** Ignores zero, because outputs may still appear. */
  add({ alike = '', submittedAt }: Submitted, outputs: number): void {
    if (outputs === 0) return;
    const known = this.#counted.get(alike) ?? [];
    // Reinserted, so that the kind that was counted longest ago comes first.
    this.#counted.delete(alike);
    this.#counted.set(alike, [...known, { alike, submittedAt, outputs }].slice(-keptAtMost));
    const [oldest] = this.#counted.keys();
    if (this.#counted.size > keptAtMost && oldest !== undefined) this.#counted.delete(oldest);
  }
}

function apartMs(one: Submitted, other: Submitted): number {
  return Math.abs(Date.parse(one.submittedAt) - Date.parse(other.submittedAt));
}
