// At most one look a tick for everything that the waits of a worker wait for. Whoever asks first in a
// tick has the whole board looked at; the others are answered from what that look saw.
import { unlessAborted } from '../../api/abort.ts';
import { monotonicMs } from '../../api/clock.ts';
import type { RequestCounter } from '../../api/counter.ts';
import { chunks } from '../../plan/chunks.ts';
import type { RunContext } from '../../plan/run-context.ts';
import { toldLooks, toldNoticed } from '../../telemetry/told.ts';
import { Lateness } from './lateness.ts';
import { Ration } from './ration.ts';
import { unlessAllFail } from './read-each.ts';
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
  run?: Pick<RunContext, 'toDo'>;
  /** So many items that are over are worth going on with, before all is known. */
  wait?: { gather: number } | null;
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
  readonly #ration: Ration | null;
  /** Looks that have not ended. */
  #underWay = 0;
  /** Questions that have not been answered: told when more is known, since some can go on with a part. */
  readonly #askers = new Set<() => void>();
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  #hintedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: WatchOptions<Item, Look>) {
    this.#options = options;
    this.#now = options.now ?? monotonicMs;
    this.#ration = options.rationed ? new Ration(options.rationed) : null;
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
  async ask(items: readonly Item[], asker: Asker): Promise<Map<string, Seen<Look>>> {
    const { requests, run = {} } = asker;
    const nowMs = this.#now();
    this.#ration?.askedFor(run, nowMs);
    const ids = items.map((item) => this.#options.idOf(item));
    this.expect(items);
    const hinted = this.#hinted(items, nowMs);
    const all = hinted.length > 0 && this.#options.hints?.wholeBoard === true;
    const due = items.length === 0 ? [] : all ? [...this.#open.keys()] : this.#due(nowMs);
    if (due.length > 0) {
      this.#forget(nowMs);
      this.#lookedAtMs = nowMs;
      this.#hintedAtMs = nowMs;
      this.#start(due, requests);
    } else if (hinted.length > 0) {
      this.#hintedAtMs = nowMs;
      this.#start(hinted, requests);
    } else if (!this.#rests() && !this.#isRationed() && nowMs - this.#lookedAtMs < joinMs) {
      // Items that this tick's look covers need not be looked at twice.
      const left = ids.filter((id) => (this.#asked.get(id)?.knownAtMs ?? 0) < this.#lookedAtMs);
      this.#start(left, requests);
    }
    return this.#answer(ids, asker);
  }

  /** Items as known; those that no look has covered yet, or that were not there, are looked at now. */
  async know(items: readonly Item[], asker: Asker): Promise<Map<string, Seen<Look>>> {
    this.expect(items);
    const ids = items.map((item) => this.#options.idOf(item));
    this.#start(
      // Items that were not there may be by now.
      ids.filter((id) => (this.#seen.get(id)?.look ?? null) === null),
      asker.requests,
    );
    return this.#answer(ids, { ...asker, wait: null });
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

  async #answer(ids: readonly string[], { signal, wait }: Asker): Promise<Map<string, Seen<Look>>> {
    const flights = new Set(ids.flatMap((id) => this.#flights.get(id) ?? []));
    const enough = wait && this.#isRationed() ? wait.gather : Number.POSITIVE_INFINITY;
    let wake = () => {};
    const isEnough = new Promise<void>((resolve) => {
      wake = () => {
        if (ids.filter((id) => this.#isOver(id)).length >= enough) resolve();
      };
    });
    this.#askers.add(wake);
    wake();
    try {
      await unlessAborted(signal, Promise.race([Promise.all(flights), isEnough]));
    } finally {
      this.#askers.delete(wake);
    }
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
    const pages = this.#ration?.byPages ? chunks(asked, this.#ration.page) : [asked];
    const flights = unlessAllFail(pages.map((page) => this.#lookAt(page, requests, hinted)));
    for (const [index, page] of pages.entries()) {
      const flight = flights[index];
      if (!flight) continue;
      // Those who ask for its items hear of an error; there may be none of them just now.
      flight.catch(() => {});
      for (const { item } of page) this.#flights.set(idOf(item), flight);
    }
  }

  /** A part of a look, which is answered when its items are. */
  async #lookAt(
    asked: readonly Asked<Item>[],
    requests: RequestCounter,
    allHinted: ReadonlySet<string>,
  ): Promise<void> {
    const { hints, idOf } = this.#options;
    const items = asked.map(({ item }) => item);
    const hinted = new Set(items.map(idOf).filter((id) => allHinted.has(id)));
    const tell = (looks: ReadonlyMap<string, Look>) => this.#remember(looks);
    this.#underWay += 1;
    try {
      tell(await this.#options.look(items, requests, hinted, tell));
    } catch (error) {
      // The next tick looks again at items that were not seen.
      for (const one of asked) one.knownAtMs = Number.NEGATIVE_INFINITY;
      throw error;
    } finally {
      this.#underWay -= 1;
      for (const item of items) this.#flights.delete(idOf(item));
      if (this.#askers.size > 0 && this.#isRationed()) this.#goOn(requests);
      if (items.some((item) => this.isHinted(item))) hints?.again();
    }
  }

  /** The next of rationed looks begins when one has ended, while anybody waits: those who ask come rarely. */
  #goOn(requests: RequestCounter): void {
    const nowMs = this.#now();
    this.#forget(nowMs);
    const due = this.#due(nowMs);
    if (due.length > 0) this.#lookedAtMs = nowMs;
    this.#start(due, requests);
  }

  #remember(looks: ReadonlyMap<string, Look>): void {
    const sinceMs = this.#now();
    for (const [id, look] of looks) {
      // Told before its look has ended.
      if (this.#isOver(id)) continue;
      this.#seen.set(id, { look, sinceMs });
      const asked = this.#asked.get(id);
      if (!asked) continue;
      const { firstAskedAtMs, openAtMs: lastOpenAtMs } = asked;
      const isOver = this.#options.isOver(look);
      const ageMs = (isOver ? sinceMs : asked.knownAtMs) - firstAskedAtMs;
      this.#ration?.ripeAge.saw({ openMs: lastOpenAtMs - firstAskedAtMs, ageMs, isOver });
      if (!isOver) {
        this.#open.set(id, asked);
        asked.openAtMs = Math.max(asked.openAtMs, asked.knownAtMs);
        continue;
      }
      this.#open.delete(id);
      const { name: board } = this.#options;
      const { openAtMs, isHinted } = asked;
      toldNoticed.tell({ board, withinMs: sinceMs - openAtMs, isHinted });
      this.#lateness.saw(sinceMs - firstAskedAtMs);
      this.#options.hints?.over(asked.item);
    }
    for (const wake of this.#askers) wake();
  }

  /** Hints tell of nearly everything, so looks without one are rare. */
  #rests(): boolean {
    return (this.#options.hints?.restMs(0) ?? 0) > 0;
  }

  /** Notifications tell soon enough, however rare looks are. */
  #late(): number {
    if (this.#rests()) return 0;
    const { size: open } = this.#open;
    const atOnce = this.#isRationed() ? Math.min(this.#ration?.page ?? open, open) : open;
    return this.#lateness.share(this.#options.gapMs(atOnce));
  }

  #isRationed(): boolean {
    return this.#ration?.isTight(this.#open.size, this.#now()) === true && !this.#rests();
  }

  /** Open items that it is time to look at: everything, or what is probably over. */
  #due(nowMs: number): readonly string[] {
    const everything = () => [...this.#open.keys()];
    const ration = this.#ration;
    if (!ration || !this.#isRationed()) return this.#isTime(nowMs) ? everything() : [];
    const chosen = ration.choose(this.#open, nowMs, {
      underWay: this.#underWay,
      isFree: (id) => !this.#flights.has(id),
      isTime: (count) => this.#isTime(nowMs, count),
    });
    return ration.byPages || chosen.length === 0 ? chosen : everything();
  }

  /** Has enough time passed since the last look, for one at so many items? */
  #isTime(nowMs: number, count = this.#open.size): boolean {
    const { hints, gapMs } = this.#options;
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
