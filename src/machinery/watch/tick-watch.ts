// At most one poll per interval for all items that the waits of a worker wait for. The first request of an interval polls
// all open items; later requests of that interval are served from the result.
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
  /** When the latest poll of the item started, or when the item was created. */
  knownAtMs: number;
  /** When the latest poll started that found the item open; before that, when it was first requested. */
  openAtMs: number;
  /** True if a notification caused the latest poll of the item. */
  isHinted: boolean;
}

export interface Seen<Look> {
  look: Look;
  /** When this status was recorded; of a finished item, since when its result waits to be returned. */
  sinceMs: number;
}

/** The requester of a status. Polls are counted for it. If it is cancelled it stops waiting; the poll goes on for others. */
export interface Asker {
  requests: RequestCounter;
  signal?: AbortSignal;
  run?: Pick<RunContext, 'toDo'>;
  /** Number of finished items with which the requester can go on before all statuses are known. */
  wait?: { gather: number } | null;
}

/** Requests of one interval arrive within this time of each other; later ones are served from memory. */
const joinMs = 100;
/** Items that nobody has requested for this time are forgotten. */
const forgetAfterMs = 120_000;

export class TickWatch<Item, Look> {
  readonly #options: WatchOptions<Item, Look>;
  readonly #now: () => number;
  readonly #asked = new Map<string, Asked<Item>>();
  readonly #seen = new Map<string, Seen<Look>>();
  /** Tracked items not known to be finished; kept as a map of their own because each request counts them. */
  readonly #open = new Map<string, Asked<Item>>();
  readonly #flights = new Map<string, Promise<void>>();
  readonly #madeAtMs = new Map<string, number>();
  readonly #lateness = new Lateness();
  readonly #ration: Ration | null;
  /** Number of running polls. */
  #underWay = 0;
  /** Callbacks of waiting requests, called when new statuses are known: some requests can go on with a part. */
  readonly #askers = new Set<() => void>();
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  #hintedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: WatchOptions<Item, Look>) {
    this.#options = options;
    this.#now = options.now ?? monotonicMs;
    this.#ration = options.rationed ? new Ration(options.rationed) : null;
    options.late?.add(() => this.#late());
  }

  /** Notes new items on the platform, so that they are not polled before a wake-up or the rest interval. */
  made(ids: readonly string[]): void {
    const nowMs = this.#now();
    for (const id of ids) this.#madeAtMs.set(id, nowMs);
    for (const [id, madeAtMs] of this.#madeAtMs) {
      if (nowMs - madeAtMs <= forgetAfterMs) break;
      this.#madeAtMs.delete(id);
    }
  }

  /** Includes these items in the next poll without causing one. */
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

  /** Statuses by id from the latest poll, which this request may cause. Items not polled yet are missing. */
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
      // Items that the poll of this interval covers need no second poll.
      const left = ids.filter((id) => (this.#asked.get(id)?.knownAtMs ?? 0) < this.#lookedAtMs);
      this.#start(left, requests);
    }
    return this.#answer(ids, asker);
  }

  /** Known statuses by id. Items that were never polled, or were missing, are polled now. */
  async know(items: readonly Item[], asker: Asker): Promise<Map<string, Seen<Look>>> {
    this.expect(items);
    const ids = items.map((item) => this.#options.idOf(item));
    this.#start(
      // Items that were missing may exist by now.
      ids.filter((id) => (this.#seen.get(id)?.look ?? null) === null),
      asker.requests,
    );
    return this.#answer(ids, { ...asker, wait: null });
  }

  /** Discards the statuses of items that have changed: the next request polls them, even finished ones. */
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

  /** True if a wake-up of the item arrived after its last poll started. */
  isHinted(item: Item): boolean {
    return this.#options.hints?.has(item) === true && !this.#isOver(this.#options.idOf(item));
  }

  /** Ids to poll now because of wake-ups. A request for one of them polls all, since other shards are about to request theirs. */
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
      // Requests that wait for these items get the error; without one it must not end the process.
      flight.catch(() => {});
      for (const { item } of page) this.#flights.set(idOf(item), flight);
    }
  }

  /** Polls one page of items. */
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
      // The next interval polls these items again.
      for (const one of asked) one.knownAtMs = Number.NEGATIVE_INFINITY;
      throw error;
    } finally {
      this.#underWay -= 1;
      for (const item of items) this.#flights.delete(idOf(item));
      if (this.#askers.size > 0 && this.#isRationed()) this.#goOn(requests);
      if (items.some((item) => this.isHinted(item))) hints?.again();
    }
  }

  /** Starts the next throttled polls when one has ended and a request still waits, because requests arrive rarely. */
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
      // Reported before its poll had ended.
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

  /** True while wake-ups announce nearly every change, so that other polls are rare. */
  #rests(): boolean {
    return (this.#options.hints?.restMs(0) ?? 0) > 0;
  }

  /** Share for the lag monitor; 0 while wake-ups announce changes, however rare polls are. */
  #late(): number {
    if (this.#rests()) return 0;
    const { size: open } = this.#open;
    const atOnce = this.#isRationed() ? Math.min(this.#ration?.page ?? open, open) : open;
    return this.#lateness.share(this.#options.gapMs(atOnce));
  }

  #isRationed(): boolean {
    return this.#ration?.isTight(this.#open.size, this.#now()) === true && !this.#rests();
  }

  /** Ids of open items to poll now: all, or while throttled those that are probably finished. */
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

  /** True if enough time has passed since the last poll, for a poll of `count` items. */
  #isTime(nowMs: number, count = this.#open.size): boolean {
    const { hints, gapMs } = this.#options;
    if (nowMs - this.#lookedAtMs < gapMs(count)) return false;
    const restMs = hints?.restMs(count) ?? 0;
    return restMs <= 0 || nowMs - Math.min(nowMs, this.#oldestMs()) >= restMs;
  }

  /** When the open item that was polled longest ago was polled. */
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
    // Requests are rare when intervals are long: a wait that still exists must never be forgotten.
    const keptMs = Math.max(forgetAfterMs, 5 * this.#options.gapMs(this.#asked.size));
    for (const [id, { askedAtMs }] of this.#asked) {
      if (nowMs - askedAtMs <= keptMs) continue;
      this.#asked.delete(id);
      this.#seen.delete(id);
      this.#open.delete(id);
    }
  }
}
