// At most one poll per interval for all items that the waits of a worker wait for. The first request of an interval polls
// all open items; later requests of that interval are served from the result.
import { unlessAborted } from '../../api/abort.ts';
import { monotonicMs } from '../../api/clock.ts';
import type { RequestCounter } from '../../api/counter.ts';
import { chunks } from '../../plan/helpers/chunks.ts';
import type { RunContext } from '../../plan/run/run-context.ts';
import { completionEvents, pollEvents } from '../../telemetry/events.ts';
import type { CoordinatorOptions } from './coordinator-options.ts';
import { PollLag } from './poll-lag.ts';
import { PollThrottle } from './poll-throttle.ts';
import { unlessAllFail } from './read-each.ts';

interface TrackedItem<Item> {
  item: Item;
  firstRequestedAtMs: number;
  lastRequestedAtMs: number;
  /** When the latest poll of the item started, or when the item was created. */
  lastPolledAtMs: number;
  /** When the latest poll started that found the item open; before that, when it was first requested. */
  seenOpenAtMs: number;
  /** True if a notification caused the latest poll of the item. */
  isByWakeUp: boolean;
}

export interface PolledStatus<Status> {
  status: Status;
  /** When this status was recorded; of a finished item, since when its result waits to be returned. */
  sinceMs: number;
}

/** The requester of a status. Polls are counted for it. If it is cancelled it stops waiting; the poll goes on for others. */
export interface PollRequester {
  requests: RequestCounter;
  signal?: AbortSignal;
  run?: Pick<RunContext, 'assetCount'>;
  /** Number of finished items with which the requester can go on before all statuses are known. */
  wait?: { batchAssets: number } | null;
}

/** Requests of one interval arrive within this time of each other; later ones are served from memory. */
const joinWindowMs = 100;
/** Items that nobody has requested for this time are forgotten. */
const forgetAfterMs = 120_000;

export class PollCoordinator<Item, Status> {
  readonly #options: CoordinatorOptions<Item, Status>;
  readonly #now: () => number;
  readonly #tracked = new Map<string, TrackedItem<Item>>();
  readonly #statuses = new Map<string, PolledStatus<Status>>();
  /** Tracked items not known to be finished; kept as a map of their own because each request counts them. */
  readonly #open = new Map<string, TrackedItem<Item>>();
  readonly #inFlight = new Map<string, Promise<void>>();
  readonly #createdAtMs = new Map<string, number>();
  readonly #lag = new PollLag();
  readonly #throttle: PollThrottle | null;
  /** Number of running polls. */
  #underWay = 0;
  /** Callbacks of waiting requests, called when new statuses are known: some requests can go on with a part. */
  readonly #waitingRequests = new Set<() => void>();
  #lastPollAtMs = Number.NEGATIVE_INFINITY;
  #lastWakeUpPollAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: CoordinatorOptions<Item, Status>) {
    this.#options = options;
    this.#now = options.now ?? monotonicMs;
    this.#throttle = options.throttle ? new PollThrottle(options.throttle) : null;
    options.lagMonitor?.add(() => this.#lagShare());
  }

  /** Notes new items on the platform, so that they are not polled before a wake-up or the rest interval. */
  noteCreated(ids: readonly string[]): void {
    const nowMs = this.#now();
    for (const id of ids) this.#createdAtMs.set(id, nowMs);
    for (const [id, madeAtMs] of this.#createdAtMs) {
      if (nowMs - madeAtMs <= forgetAfterMs) break;
      this.#createdAtMs.delete(id);
    }
  }

  /** Includes these items in the next poll without causing one. */
  track(items: readonly Item[]): void {
    const lastRequestedAtMs = this.#now();
    for (const item of items) {
      const id = this.#options.idOf(item);
      const before = this.#tracked.get(id);
      const { lastPolledAtMs = this.#createdAtMs.get(id), firstRequestedAtMs = lastRequestedAtMs } =
        before ?? {};
      const tracked: TrackedItem<Item> = {
        item,
        firstRequestedAtMs,
        lastRequestedAtMs,
        lastPolledAtMs: lastPolledAtMs ?? Number.NEGATIVE_INFINITY,
        seenOpenAtMs: before?.seenOpenAtMs ?? firstRequestedAtMs,
        isByWakeUp: before?.isByWakeUp ?? false,
      };
      this.#tracked.set(id, tracked);
      if (!this.#isFinished(id)) this.#open.set(id, tracked);
    }
  }

  /** Statuses by id from the latest poll, which this request may cause. Items not polled yet are missing. */
  async poll(
    items: readonly Item[],
    requester: PollRequester,
  ): Promise<Map<string, PolledStatus<Status>>> {
    const { requests, run = {} } = requester;
    const nowMs = this.#now();
    this.#throttle?.noteRequest(run, nowMs);
    const ids = items.map((item) => this.#options.idOf(item));
    this.track(items);
    const wokenIds = this.#idsToWake(items, nowMs);
    const all = wokenIds.length > 0 && this.#options.wakeUps?.pollsAllItems === true;
    const due = items.length === 0 ? [] : all ? [...this.#open.keys()] : this.#dueIds(nowMs);
    if (due.length > 0) {
      this.#dropUnrequested(nowMs);
      this.#lastPollAtMs = nowMs;
      this.#lastWakeUpPollAtMs = nowMs;
      this.#startPolls(due, requests);
    } else if (wokenIds.length > 0) {
      this.#lastWakeUpPollAtMs = nowMs;
      this.#startPolls(wokenIds, requests);
    } else if (
      !this.#isResting() &&
      !this.#isThrottled() &&
      nowMs - this.#lastPollAtMs < joinWindowMs
    ) {
      // Items that the poll of this interval covers need no second poll.
      const left = ids.filter(
        (id) => (this.#tracked.get(id)?.lastPolledAtMs ?? 0) < this.#lastPollAtMs,
      );
      this.#startPolls(left, requests);
    }
    return this.#waitForStatuses(ids, requester);
  }

  /** Known statuses by id. Items that were never polled, or were missing, are polled now. */
  async readKnown(
    items: readonly Item[],
    requester: PollRequester,
  ): Promise<Map<string, PolledStatus<Status>>> {
    this.track(items);
    const ids = items.map((item) => this.#options.idOf(item));
    this.#startPolls(
      // Items that were missing may exist by now.
      ids.filter((id) => (this.#statuses.get(id)?.status ?? null) === null),
      requester.requests,
    );
    return this.#waitForStatuses(ids, { ...requester, wait: null });
  }

  /** Discards the statuses of items that have changed: the next request polls them, even finished ones. */
  invalidate(items: readonly Item[]): void {
    for (const item of items) {
      const id = this.#options.idOf(item);
      this.#statuses.delete(id);
      const tracked = this.#tracked.get(id);
      if (tracked) this.#open.set(id, tracked);
    }
  }

  async #waitForStatuses(
    ids: readonly string[],
    { signal, wait }: PollRequester,
  ): Promise<Map<string, PolledStatus<Status>>> {
    const inFlight = new Set(ids.flatMap((id) => this.#inFlight.get(id) ?? []));
    const enough = wait && this.#isThrottled() ? wait.batchAssets : Number.POSITIVE_INFINITY;
    let wake = () => {};
    const enoughFinished = new Promise<void>((resolve) => {
      wake = () => {
        if (ids.filter((id) => this.#isFinished(id)).length >= enough) resolve();
      };
    });
    this.#waitingRequests.add(wake);
    wake();
    try {
      await unlessAborted(signal, Promise.race([Promise.all(inFlight), enoughFinished]));
    } finally {
      this.#waitingRequests.delete(wake);
    }
    const known = new Map<string, PolledStatus<Status>>();
    for (const id of ids) {
      const polled = this.#statuses.get(id);
      if (polled) known.set(id, polled);
    }
    return known;
  }

  /** True if a wake-up of the item arrived after its last poll started. */
  hasWakeUp(item: Item): boolean {
    return this.#options.wakeUps?.has(item) === true && !this.#isFinished(this.#options.idOf(item));
  }

  /** Ids to poll now because of wake-ups. A request for one of them polls all, since other shards are about to request theirs. */
  #idsToWake(items: readonly Item[], nowMs: number): string[] {
    const { wakeUps } = this.#options;
    if (!wakeUps || !items.some((item) => this.hasWakeUp(item))) return [];
    const wokenIds = [...this.#open].flatMap(([id, { item }]) => (wakeUps.has(item) ? id : []));
    if (nowMs - this.#lastWakeUpPollAtMs >= wakeUps.minGapMs(wokenIds.length)) return wokenIds;
    wakeUps.wakeSoon();
    return [];
  }

  #startPolls(ids: readonly string[], requests: RequestCounter): void {
    const open = ids.filter((id) => !this.#inFlight.has(id) && !this.#isFinished(id));
    const tracked = open.flatMap((id) => this.#tracked.get(id) ?? []);
    if (tracked.length === 0) return;
    const lastPolledAtMs = this.#now();
    for (const one of tracked) one.lastPolledAtMs = lastPolledAtMs;
    const items = tracked.map(({ item }) => item);
    const { wakeUps, idOf } = this.#options;
    const wokenIds = new Set(items.filter((item) => this.hasWakeUp(item)).map(idOf));
    for (const one of tracked) one.isByWakeUp = wokenIds.has(idOf(one.item));
    for (const item of items) wakeUps?.consume(item);
    const { name: board } = this.#options;
    pollEvents.emit({ poller: board, items: items.length, wokenItems: wokenIds.size });
    const pages = this.#throttle?.pollsByPage
      ? chunks(tracked, this.#throttle.pageSize)
      : [tracked];
    const inFlight = unlessAllFail(pages.map((page) => this.#pollPage(page, requests, wokenIds)));
    for (const [index, page] of pages.entries()) {
      const poll = inFlight[index];
      if (!poll) continue;
      // Requests that wait for these items get the error; without one it must not end the process.
      poll.catch(() => {});
      for (const { item } of page) this.#inFlight.set(idOf(item), poll);
    }
  }

  /** Polls one page of items. */
  async #pollPage(
    tracked: readonly TrackedItem<Item>[],
    requests: RequestCounter,
    allWokenIds: ReadonlySet<string>,
  ): Promise<void> {
    const { wakeUps, idOf } = this.#options;
    const items = tracked.map(({ item }) => item);
    const wokenIds = new Set(items.map(idOf).filter((id) => allWokenIds.has(id)));
    const report = (statuses: ReadonlyMap<string, Status>) => this.#recordStatuses(statuses);
    this.#underWay += 1;
    try {
      report(await this.#options.poll(items, requests, wokenIds, report));
    } catch (error) {
      // The next interval polls these items again.
      for (const one of tracked) one.lastPolledAtMs = Number.NEGATIVE_INFINITY;
      throw error;
    } finally {
      this.#underWay -= 1;
      for (const item of items) this.#inFlight.delete(idOf(item));
      if (this.#waitingRequests.size > 0 && this.#isThrottled()) this.#startNextPolls(requests);
      if (items.some((item) => this.hasWakeUp(item))) wakeUps?.wakeSoon();
    }
  }

  /** Starts the next throttled polls when one has ended and a request still waits, because requests arrive rarely. */
  #startNextPolls(requests: RequestCounter): void {
    const nowMs = this.#now();
    this.#dropUnrequested(nowMs);
    const due = this.#dueIds(nowMs);
    if (due.length > 0) this.#lastPollAtMs = nowMs;
    this.#startPolls(due, requests);
  }

  #recordStatuses(statuses: ReadonlyMap<string, Status>): void {
    const sinceMs = this.#now();
    for (const [id, look] of statuses) {
      // Reported before its poll had ended.
      if (this.#isFinished(id)) continue;
      this.#statuses.set(id, { status: look, sinceMs });
      const tracked = this.#tracked.get(id);
      if (!tracked) continue;
      const { firstRequestedAtMs, seenOpenAtMs: lastOpenAtMs } = tracked;
      const isOver = this.#options.isFinished(look);
      const ageMs = (isOver ? sinceMs : tracked.lastPolledAtMs) - firstRequestedAtMs;
      this.#throttle?.durationEstimate.observe({
        lastOpenAgeMs: lastOpenAtMs - firstRequestedAtMs,
        ageMs,
        isFinished: isOver,
      });
      if (!isOver) {
        this.#open.set(id, tracked);
        tracked.seenOpenAtMs = Math.max(tracked.seenOpenAtMs, tracked.lastPolledAtMs);
        continue;
      }
      this.#open.delete(id);
      const { name: board } = this.#options;
      const { seenOpenAtMs, isByWakeUp: hasWakeUp } = tracked;
      completionEvents.emit({ poller: board, withinMs: sinceMs - seenOpenAtMs, hasWakeUp });
      this.#lag.observe(sinceMs - firstRequestedAtMs);
      this.#options.wakeUps?.noteFinished(tracked.item);
    }
    for (const wake of this.#waitingRequests) wake();
  }

  /** True while wake-ups announce nearly every change, so that other polls are rare. */
  #isResting(): boolean {
    return (this.#options.wakeUps?.restMs(0) ?? 0) > 0;
  }

  /** Share for the lag monitor; 0 while wake-ups announce changes, however rare polls are. */
  #lagShare(): number {
    if (this.#isResting()) return 0;
    const { size: open } = this.#open;
    const atOnce = this.#isThrottled() ? Math.min(this.#throttle?.pageSize ?? open, open) : open;
    return this.#lag.share(this.#options.minGapMs(atOnce));
  }

  #isThrottled(): boolean {
    return this.#throttle?.isTight(this.#open.size, this.#now()) === true && !this.#isResting();
  }

  /** Ids of open items to poll now: all, or while throttled those that are probably finished. */
  #dueIds(nowMs: number): readonly string[] {
    const allOpen = () => [...this.#open.keys()];
    const throttle = this.#throttle;
    if (!throttle || !this.#isThrottled()) return this.#isPollDue(nowMs) ? allOpen() : [];
    const chosen = throttle.chooseIds(this.#open, nowMs, {
      underWay: this.#underWay,
      isIdle: (id) => !this.#inFlight.has(id),
      isPollDue: (count) => this.#isPollDue(nowMs, count),
    });
    return throttle.pollsByPage || chosen.length === 0 ? chosen : allOpen();
  }

  /** True if enough time has passed since the last poll, for a poll of `count` items. */
  #isPollDue(nowMs: number, count = this.#open.size): boolean {
    const { wakeUps, minGapMs } = this.#options;
    if (nowMs - this.#lastPollAtMs < minGapMs(count)) return false;
    const restMs = wakeUps?.restMs(count) ?? 0;
    return restMs <= 0 || nowMs - Math.min(nowMs, this.#oldestPollAtMs()) >= restMs;
  }

  /** When the open item that was polled longest ago was polled. */
  #oldestPollAtMs(): number {
    let oldestMs = Number.POSITIVE_INFINITY;
    for (const { lastPolledAtMs } of this.#open.values())
      oldestMs = Math.min(oldestMs, lastPolledAtMs);
    return oldestMs;
  }

  #isFinished(id: string): boolean {
    const polled = this.#statuses.get(id);
    return polled !== undefined && this.#options.isFinished(polled.status);
  }

  #dropUnrequested(nowMs: number): void {
    // Requests are rare when intervals are long: a wait that still exists must never be forgotten.
    const keptMs = Math.max(forgetAfterMs, 5 * this.#options.minGapMs(this.#tracked.size));
    for (const [id, { lastRequestedAtMs }] of this.#tracked) {
      if (nowMs - lastRequestedAtMs <= keptMs) continue;
      this.#tracked.delete(id);
      this.#statuses.delete(id);
      this.#open.delete(id);
    }
  }
}
