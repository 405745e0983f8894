// At most one look a tick for everything that the waits of a worker wait for. Whoever asks first in a
// tick has the whole board looked at; the others are answered from what that look saw.
import { unlessAborted } from '../../api/abort.ts';
import type { RequestCounter } from '../../api/counter.ts';
import { toldLooks, toldNoticed } from '../../telemetry/told.ts';
import { Lateness } from './lateness.ts';
import type { WatchOptions } from './watch-options.ts';

interface Asked<Item> {
  item: Item;
  firstAskedAtMs: number;
  askedAtMs: number;
  /** The latest look at it began then, or it was made then. */
  knownAtMs: number;
  /** The latest look that found it not over began then; at first when it was asked for. */
  openAtMs: number;
  /** The latest look at it began because of a notification. */
  isHinted: boolean;
}

export interface Seen<Look> {
  look: Look;
  /** When a look first found it over; what waits to be handed on since then, waits since then. */
  sinceMs: number;
}

/** Who asks: looks are counted for it, and it leaves when it is cancelled; the look goes on for the others. */
export interface Asker {
  requests: RequestCounter;
  signal?: AbortSignal;
}

/** Askers of one tick come within this time of each other; later ones are answered from memory. */
const joinMs = 100;
/** Items that nobody has asked about for so long are forgotten. */
const forgetAfterMs = 120_000;

export class TickWatch<Item, Look> {
  readonly #options: WatchOptions<Item, Look>;
  readonly #now: () => number;
  readonly #asked = new Map<string, Asked<Item>>();
  readonly #seen = new Map<string, Seen<Look>>();
  /** Those asked for that are not known to be over. Every question counts them, so they are kept. */
  readonly #open = new Map<string, Asked<Item>>();
  readonly #flights = new Map<string, Promise<void>>();
  readonly #madeAtMs = new Map<string, number>();
  readonly #lateness = new Lateness();
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  #hintedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: WatchOptions<Item, Look>) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    options.late?.add(() => this.#late());
  }

  /** Tells of new items: hints will tell of their end, if any do. */
  made(ids: readonly string[]): void {
    const nowMs = this.#now();
    for (const id of ids) this.#madeAtMs.set(id, nowMs);
    for (const [id, madeAtMs] of this.#madeAtMs) {
      if (nowMs - madeAtMs <= forgetAfterMs) break;
      this.#madeAtMs.delete(id);
    }
  }

  /** Has the next look cover these items too, without being a reason for one. */
  expect(items: readonly Item[]): void {
    const askedAtMs = this.#now();
    for (const item of items) {
      const id = this.#options.idOf(item);
      const before = this.#asked.get(id);
      const { knownAtMs = this.#madeAtMs.get(id), firstAskedAtMs = askedAtMs } = before ?? {};
      const asked: Asked<Item> = {
        item,
        firstAskedAtMs,
        askedAtMs,
        knownAtMs: knownAtMs ?? Number.NEGATIVE_INFINITY,
        openAtMs: before?.openAtMs ?? firstAskedAtMs,
        isHinted: before?.isHinted ?? false,
      };
      this.#asked.set(id, asked);
      if (!this.#isOver(id)) this.#open.set(id, asked);
    }
  }

  /** Items as the latest look saw them; items that no look has covered yet are missing. */
  async ask(items: readonly Item[], { requests, signal }: Asker): Promise<Map<string, Seen<Look>>> {
    const nowMs = this.#now();
    const ids = items.map((item) => this.#options.idOf(item));
    this.expect(items);
    const hinted = this.#hinted(items, nowMs);
    const all = hinted.length > 0 && this.#options.hints?.wholeBoard === true;
    if (items.length > 0 && (all || this.#isDue(nowMs))) {
      this.#forget(nowMs);
      this.#lookedAtMs = nowMs;
      this.#hintedAtMs = nowMs;
      this.#start([...this.#open.keys()], requests);
    } else if (hinted.length > 0) {
      this.#hintedAtMs = nowMs;
      this.#start(hinted, requests);
    } else if (!this.#rests() && nowMs - this.#lookedAtMs < joinMs) {
      // Items that this tick's look covers need not be looked at twice.
      const left = ids.filter((id) => (this.#asked.get(id)?.knownAtMs ?? 0) < this.#lookedAtMs);
      this.#start(left, requests);
    }
    return this.#answer(ids, signal);
  }

  /** Items as known; those that no look has covered yet, or that were not there, are looked at now. */
  async know(
    items: readonly Item[],
    { requests, signal }: Asker,
  ): Promise<Map<string, Seen<Look>>> {
    this.expect(items);
    const ids = items.map((item) => this.#options.idOf(item));
    this.#start(
      // Items that were not there may be by now.
      ids.filter((id) => (this.#seen.get(id)?.look ?? null) === null),
      requests,
    );
    return this.#answer(ids, signal);
  }

  /** Tells that items are not as the last look saw them: the next question has them looked at, even those that were over. */
  doubt(items: readonly Item[]): void {
    for (const item of items) {
      const id = this.#options.idOf(item);
      this.#seen.delete(id);
      const asked = this.#asked.get(id);
      if (asked) this.#open.set(id, asked);
    }
  }

  async #answer(
    ids: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<Map<string, Seen<Look>>> {
    const flights = new Set(ids.flatMap((id) => this.#flights.get(id) ?? []));
    await unlessAborted(signal, Promise.all(flights));
    const known = new Map<string, Seen<Look>>();
    for (const id of ids) {
      const seen = this.#seen.get(id);
      if (seen) known.set(id, seen);
    }
    return known;
  }

  /** Has a notification said that it changed, and has no look begun since? */
  isHinted(item: Item): boolean {
    return this.#options.hints?.has(item) === true && !this.#isOver(this.#options.idOf(item));
  }

  /**
   * Items that may be looked at now because of a hint. Once somebody asks for some of them all are looked at, since the
   * waits of other shards are about to ask.
   */
  #hinted(items: readonly Item[], nowMs: number): string[] {
    const { hints } = this.#options;
    if (!hints || !items.some((item) => this.isHinted(item))) return [];
    const hinted = [...this.#open].flatMap(([id, { item }]) => (hints.has(item) ? id : []));
    if (nowMs - this.#hintedAtMs >= hints.gapMs(hinted.length)) return hinted;
    hints.again();
    return [];
  }

  #start(ids: readonly string[], requests: RequestCounter): void {
    const open = ids.filter((id) => !this.#flights.has(id) && !this.#isOver(id));
    const asked = open.flatMap((id) => this.#asked.get(id) ?? []);
    if (asked.length === 0) return;
    const knownAtMs = this.#now();
    for (const one of asked) one.knownAtMs = knownAtMs;
    const items = asked.map(({ item }) => item);
    const { hints, idOf } = this.#options;
    const hinted = new Set(items.filter((item) => this.isHinted(item)).map(idOf));
    for (const one of asked) one.isHinted = hinted.has(idOf(one.item));
    for (const item of items) hints?.take(item);
    const { name: board } = this.#options;
    toldLooks.tell({ board, items: items.length, hinted: hinted.size });
    const flight = this.#options
      .look(items, requests, hinted)
      .then((looks) => this.#remember(looks))
      .catch((error: unknown) => {
        // The next tick looks again at items that were not seen.
        for (const one of asked) one.knownAtMs = Number.NEGATIVE_INFINITY;
        throw error;
      })
      .finally(() => {
        for (const id of open) this.#flights.delete(id);
        if (items.some((item) => this.isHinted(item))) hints?.again();
      });
    for (const id of open) this.#flights.set(id, flight);
  }

  #remember(looks: ReadonlyMap<string, Look>): void {
    const sinceMs = this.#now();
    for (const [id, look] of looks) {
      this.#seen.set(id, { look, sinceMs });
      const asked = this.#asked.get(id);
      if (!asked) continue;
      if (!this.#options.isOver(look)) {
        this.#open.set(id, asked);
        asked.openAtMs = Math.max(asked.openAtMs, asked.knownAtMs);
        continue;
      }
      this.#open.delete(id);
      const { name: board } = this.#options;
      const { openAtMs, isHinted } = asked;
      toldNoticed.tell({ board, withinMs: sinceMs - openAtMs, isHinted });
      this.#lateness.saw(sinceMs - asked.firstAskedAtMs);
      this.#options.hints?.over(asked.item);
    }
  }

  /** Hints tell of nearly everything, so looks without one are rare. */
  #rests(): boolean {
    return (this.#options.hints?.restMs(0) ?? 0) > 0;
  }

  /** Notifications tell soon enough, however rare looks are. */
  #late(): number {
    return this.#rests() ? 0 : this.#lateness.share(this.#options.gapMs(this.#open.size));
  }

  /** Is it time for a look at everything? */
  #isDue(nowMs: number): boolean {
    const { hints, gapMs } = this.#options;
    const { size: count } = this.#open;
    if (nowMs - this.#lookedAtMs < gapMs(count)) return false;
    const restMs = hints?.restMs(count) ?? 0;
    return restMs <= 0 || nowMs - Math.min(nowMs, this.#oldestMs()) >= restMs;
  }

  /** When the open item that was looked at longest ago was. */
  #oldestMs(): number {
    let oldestMs = Number.POSITIVE_INFINITY;
    for (const { knownAtMs } of this.#open.values()) oldestMs = Math.min(oldestMs, knownAtMs);
    return oldestMs;
  }

  #isOver(id: string): boolean {
    const seen = this.#seen.get(id);
    return seen !== undefined && this.#options.isOver(seen.look);
  }

  #forget(nowMs: number): void {
    // Long ticks ask rarely, so a wait that is still there is never forgotten.
    const keptMs = Math.max(forgetAfterMs, 5 * this.#options.gapMs(this.#asked.size));
    for (const [id, { askedAtMs }] of this.#asked) {
      if (nowMs - askedAtMs <= keptMs) continue;
      this.#asked.delete(id);
      this.#seen.delete(id);
      this.#open.delete(id);
    }
  }
}
