// How many outputs jobs have, by one of their kind that was asked for. A template may be edited while runs go on, so
// a count is only good for what was submitted at about the same time. Pure.

/** A kind of jobs, and when one of them was submitted. */
export interface Submitted {
  alike?: string | undefined;
  /** Platform clock, ISO 8601. */
  submittedAt: string;
}

/** Jobs of one kind that were submitted so close to each other were drawn by the same template. */
const apartAtMostMs = 10_000;
/** Newest counts of a kind that are kept, and kinds that have some. */
const keptAtMost = 50;

/** Does the count of one hold for the other? */
export function areAlike(one: Submitted, other: Submitted): boolean {
  return one.alike === other.alike && apartMs(one, other) <= apartAtMostMs;
}

export class OutputCounts {
  readonly #counted = new Map<string, (Submitted & { outputs: number })[]>();

  /** By the nearest job that was counted; undefined where none of its kind and time was. */
  of(job: Submitted): number | undefined {
    const [nearest] = (this.#counted.get(job.alike ?? '') ?? [])
      .filter((counted) => areAlike(counted, job))
      .sort((one, other) => apartMs(one, job) - apartMs(other, job));
    return nearest?.outputs;
  }

  /** None is no count: outputs may come yet. */
  add({ alike = '', submittedAt }: Submitted, outputs: number): void {
    if (outputs === 0) return;
    const known = this.#counted.get(alike) ?? [];
    // Added anew, so that the kind that was counted longest ago stands first.
    this.#counted.delete(alike);
    this.#counted.set(alike, [...known, { alike, submittedAt, outputs }].slice(-keptAtMost));
    const [oldest] = this.#counted.keys();
    if (this.#counted.size > keptAtMost && oldest !== undefined) this.#counted.delete(oldest);
  }
}

function apartMs(one: Submitted, other: Submitted): number {
  return Math.abs(Date.parse(one.submittedAt) - Date.parse(other.submittedAt));
}
