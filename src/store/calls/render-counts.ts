// Counts the renders of each month, so that all runs and workers together stay within a quota.
//
// A file can be created conditionally, but not changed conditionally. Therefore a month is a log of small objects with
// ascending numbers. Each object is created conditionally, so exactly one of several workers writes the next number.
// The others read that object and decide again. Nothing is ever removed.
import type { Connector } from '../../connectors/connector.ts';
import { runFailures } from '../../failures/runs.ts';
import { memoizeByObject } from '../../plan/helpers/memoize.ts';
import type { RunCause } from '../../plan/run/run-cause.ts';
import { JsonObjects } from '../objects/json-objects.ts';
import { mapBounded } from '../objects/map-bounded.ts';
import { numberName, pipelineSlugOf } from '../objects/object-name.ts';

const schema = 'renderline/render-count/v1';

interface StoredCount {
  schema: typeof schema;
  timezone: string;
  /** Number of renders of the month, including this entry. */
  used: number;
  /** Number of renders by idempotency key of their call. An entry replaces earlier numbers of the same call. */
  calls: Record<string, number>;
}

export interface CountedCall {
  month: string;
  key: string;
  renders: number;
}

/** `left` is the number of renders that still fit. */
export type Reservation = { isCounted: true } | { isCounted: false; left: number };

interface Request extends CountedCall {
  /** Maximum number of renders in the month. Null for a correction of a call that has already been counted. */
  perMonth: number | null;
  resolve: (result: Reservation) => void;
  reject: (error: unknown) => void;
}

/** Thrown because pipeline files that share a count must agree on when a month starts. */
class OtherTimezoneError extends Error {
  override name = 'OtherTimezoneError';
  readonly failure = runFailures.QUOTA_TIMEZONE;

  get runCause(): RunCause {
    const { code, fix, stops: kind } = this.failure;
    return { code, message: this.message, fix, kind };
  }
}

/** State of a month as known to this process. */
class Month {
  last = 0;
  used = 0;
  readonly calls = new Map<string, number>();

  add({ used, calls }: StoredCount): void {
    this.last += 1;
    this.used = used;
    for (const [key, renders] of Object.entries(calls)) this.calls.set(key, renders);
  }
}

export class RenderCounts {
  /** Identifies this count, including its time zone, which decides when months start. */
  readonly name: string;
  readonly #objects: JsonObjects;
  readonly #timezone: string;
  readonly #months = new Map<string, Month>();
  /** Requests that arrive while an entry is written. The requests of one month share the next entry. */
  #queue: Request[] = [];
  #isWriting = false;

  constructor(objects: JsonObjects, timezone: string, name: string) {
    this.name = name;
    this.#objects = objects;
    this.#timezone = timezone;
  }

  /** Counts the renders of a call if they fit. A call that has already been counted is not counted again. */
  reserve(call: CountedCall, perMonth: number): Promise<Reservation> {
    return this.#request({ ...call, perMonth });
  }

  /** Changes the number of renders of a counted call. With 0, all of them are returned to the quota. */
  async correct(call: CountedCall): Promise<void> {
    await this.#request({ ...call, perMonth: null });
  }

  async has(month: string, key: string): Promise<boolean> {
    // With a quota of 0, reserving adds nothing to the count.
    return (await this.reserve({ month, key, renders: 1 }, 0)).isCounted;
  }

  async countUsed(month: string): Promise<number> {
    const last = await this.#lastNumber(month);
    return last === 0 ? 0 : ((await this.#readEntry(month, last))?.used ?? 0);
  }

  #request(request: Omit<Request, 'resolve' | 'reject'>): Promise<Reservation> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ ...request, resolve, reject });
      void this.#writeAll();
    });
  }

  async #writeAll(): Promise<void> {
    if (this.#isWriting) return;
    this.#isWriting = true;
    while (this.#queue.length > 0) {
      const month = this.#queue[0]?.month ?? '';
      const requests = this.#queue.filter((request) => request.month === month);
      this.#queue = this.#queue.filter((request) => request.month !== month);
      try {
        const results = await this.#write(month, requests);
        requests.forEach(({ resolve }, index) => resolve(results[index] ?? { isCounted: true }));
      } catch (error) {
        // The entry may have been written, so the next request reads the month again.
        this.#months.delete(month);
        for (const { reject } of requests) reject(error);
      }
    }
    this.#isWriting = false;
  }

  async #write(name: string, requests: readonly Request[]): Promise<Reservation[]> {
    const month = await this.#openMonth(name);
    for (;;) {
      const { results, calls, used } = decide(month, requests);
      const isRefused = results.some(({ isCounted }) => !isCounted);
      // Other workers may have returned renders.
      if (isRefused && (await this.#readTail(name, month))) continue;
      if (Object.keys(calls).length === 0) return results;
      const entry: StoredCount = { schema, timezone: this.#timezone, used, calls };
      const path = pathOf(name, month.last + 1);
      if ((await this.#objects.write(path, entry, { ifAbsent: true })) === 'written') {
        month.add(entry);
        return results;
      }
      if (!(await this.#readTail(name, month)))
        throw this.#objects.missingError(path, 'an entry of the count of renders');
    }
  }

  /** Reads the entries that other workers have added. Returns false if there are none. */
  async #readTail(name: string, month: Month): Promise<boolean> {
    const { last } = month;
    for (;;) {
      const next = await this.#readEntry(name, month.last + 1);
      if (next === null) return month.last > last;
      month.add(next);
    }
  }

  async #openMonth(name: string): Promise<Month> {
    const cachedMonth = this.#months.get(name);
    if (cachedMonth) return cachedMonth;
    const month = new Month();
    const numbers = Array.from({ length: await this.#lastNumber(name) }, (_, index) => index + 1);
    const entries = await mapBounded(numbers, (number) => this.#readEntry(name, number));
    entries.forEach((entry, index) => {
      if (entry === null)
        throw this.#objects.missingError(
          pathOf(name, index + 1),
          'an entry of the count of renders',
        );
      month.add(entry);
    });
    this.#months.set(name, month);
    return month;
  }

  async #lastNumber(month: string): Promise<number> {
    const names = await this.#objects.names(month);
    const numbers = names.flatMap((name) => /^(\d+)\.json$/.exec(name)?.[1] ?? []);
    return Math.max(0, ...numbers.map(Number));
  }

  async #readEntry(month: string, number: number): Promise<StoredCount | null> {
    const entry = await this.#objects.read<StoredCount>(pathOf(month, number), schema);
    if (entry !== null && entry.timezone !== this.#timezone) {
      const location = `${this.#objects.base}/${month}`;
      throw new OtherTimezoneError(
        `the renders in ${location} are counted by month in the time zone ${entry.timezone}, but this pipeline file sets ${this.#timezone}`,
      );
    }
    return entry;
  }
}

function decide(
  month: Month,
  requests: readonly Request[],
): { results: Reservation[]; calls: Record<string, number>; used: number } {
  const calls: Record<string, number> = {};
  let { used } = month;
  const results = requests.map(({ key, renders, perMonth }): Reservation => {
    const countedRenders = calls[key] ?? month.calls.get(key) ?? 0;
    const isDone =
      perMonth === null ? countedRenders === 0 || countedRenders === renders : countedRenders > 0;
    if (isDone) return { isCounted: true };
    if (perMonth !== null && used + renders > perMonth)
      return { isCounted: false, left: Math.max(0, perMonth - used) };
    calls[key] = renders;
    used += renders - countedRenders;
    return { isCounted: true };
  });
  return { results, calls, used };
}

function pathOf(month: string, number: number): string {
  return `${month}/${numberName(number, 6)}.json`;
}

const countsByName = memoizeByObject((_connector: Connector) => new Map<string, RenderCounts>());

/** @param pipeline null for the renders of all pipelines that count at this connector */
export function renderCountsAt(
  connector: Connector,
  pipeline: string | null,
  timezone: string,
): RenderCounts {
  // Folders of pipelines have no dot in their names, so the two names cannot clash.
  const folder = pipeline === null ? 'renders.count' : `${pipelineSlugOf(pipeline)}/renders`;
  const base = `.renderline/${folder}`;
  const cachedCounts = countsByName(connector);
  const name = `${base} in ${connector.describe()}, ${timezone}`;
  const objects = new JsonObjects(connector, base);
  const counts = cachedCounts.get(name) ?? new RenderCounts(objects, timezone, name);
  cachedCounts.set(name, counts);
  return counts;
}
