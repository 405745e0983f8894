// At most one look a tick for everything that the waits of a worker wait for. Whoever asks first in a
// tick has the whole board looked at; the others are answered from what that look saw.
import type { RequestCounter } from '../api/counter.ts';

export interface WatchOptions<Item, Look> {
  idOf: (item: Item) => string;
  /** @param hinted ids of which a notification has said that they changed */
  look: (
    items: readonly Item[],
    requests: RequestCounter,
    hinted: ReadonlySet<string>,
  ) => Promise<ReadonlyMap<string, Look>>;
  /** Nothing can change any more, so it is not looked at again. */
  isOver: (look: Look) => boolean;
  /** Least time between two looks at so many open items, ms; grows when the budget is tight. */
  gapMs: (open: number) => number;
  /** What notifications say has changed; without them only ticks tell. */
  hints?: {
    has: (item: Item) => boolean;
    /** A look at it begins, which answers what was said so far. */
    take: (item: Item) => void;
    /** Something was said of an item that could not be looked at now. */
    again: () => void;
    /** Least time between two looks that hints caused, ms. */
    gapMs: (hinted: number) => number;
    /** One look at everything costs no more than one at what was hinted at. */
    wholeBoard: boolean;
  };
  now?: () => number;
}

export interface Seen<Look> {
  look: Look;
  /** When a look first found it over; what waits to be handed on since then, waits since then. */
  sinceMs: number;
}

/** Askers of one tick come within this time of each other; later ones are answered from memory. */
const joinMs = 100;
/** What nobody has asked about for so long is forgotten. */
const forgetAfterMs = 120_000;

export class TickWatch<Item, Look> {
  readonly #options: WatchOptions<Item, Look>;
  readonly #now: () => number;
  readonly #asked = new Map<string, { item: Item; askedAtMs: number }>();
  readonly #seen = new Map<string, Seen<Look>>();
  readonly #flights = new Map<string, Promise<void>>();
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  #hintedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: WatchOptions<Item, Look>) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** Has the next look cover these items too, without being a reason for one. */
  expect(items: readonly Item[]): void {
    const askedAtMs = this.#now();
    for (const item of items) this.#asked.set(this.#options.idOf(item), { item, askedAtMs });
  }

  /** What is known of the items by the latest look; items that no look has covered yet are missing. */
  async ask(items: readonly Item[], requests: RequestCounter): Promise<Map<string, Seen<Look>>> {
    const nowMs = this.#now();
    const ids = items.map((item) => this.#options.idOf(item));
    this.expect(items);
    const hinted = this.#hinted(items, nowMs);
    if (items.length > 0 && nowMs - this.#lookedAtMs >= this.#gapMs()) {
      this.#forget(nowMs);
      this.#lookedAtMs = nowMs;
      this.#start([...this.#asked.keys()], requests);
    } else if (hinted.length > 0) {
      if (nowMs - this.#hintedAtMs >= joinMs) this.#hintedAtMs = nowMs;
      this.#start(this.#options.hints?.wholeBoard ? [...this.#asked.keys()] : hinted, requests);
    } else if (nowMs - this.#lookedAtMs < joinMs) {
      this.#start(ids, requests);
    }
    await Promise.all(new Set(ids.flatMap((id) => this.#flights.get(id) ?? [])));
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

  /** What may be looked at now because of a hint. Those who ask in one moment share a look. */
  #hinted(items: readonly Item[], nowMs: number): string[] {
    const { hints, idOf } = this.#options;
    if (!hints) return [];
    const hinted = items.filter((item) => this.isHinted(item)).map(idOf);
    const sinceMs = nowMs - this.#hintedAtMs;
    if (sinceMs < joinMs || sinceMs >= hints.gapMs(hinted.length)) return hinted;
    if (hinted.length > 0) hints.again();
    return [];
  }

  #start(ids: readonly string[], requests: RequestCounter): void {
    const open = ids.filter((id) => !this.#flights.has(id) && !this.#isOver(id));
    const items = open.flatMap((id) => this.#asked.get(id)?.item ?? []);
    if (items.length === 0) return;
    const { hints, idOf } = this.#options;
    const hinted = new Set(items.filter((item) => this.isHinted(item)).map(idOf));
    for (const item of items) hints?.take(item);
    const flight = this.#options
      .look(items, requests, hinted)
      .then((looks) => this.#remember(looks))
      .finally(() => {
        for (const id of open) this.#flights.delete(id);
        if (items.some((item) => this.isHinted(item))) hints?.again();
      });
    for (const id of open) this.#flights.set(id, flight);
  }

  #remember(looks: ReadonlyMap<string, Look>): void {
    const sinceMs = this.#now();
    for (const [id, look] of looks) this.#seen.set(id, { look, sinceMs });
  }

  #gapMs(): number {
    let open = 0;
    for (const id of this.#asked.keys()) if (!this.#isOver(id)) open += 1;
    return this.#options.gapMs(open);
  }

  #isOver(id: string): boolean {
    const seen = this.#seen.get(id);
    return seen !== undefined && this.#options.isOver(seen.look);
  }

  #forget(nowMs: number): void {
    // Long ticks ask rarely, so a wait that is still there is never forgotten.
    const keptMs = Math.max(forgetAfterMs, 5 * this.#gapMs());
    for (const [id, { askedAtMs }] of this.#asked) {
      if (nowMs - askedAtMs <= keptMs) continue;
      this.#asked.delete(id);
      this.#seen.delete(id);
    }
  }
}
