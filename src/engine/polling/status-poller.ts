// Polls the status of one kind of work for all waits of a worker, once per interval and after wake-ups. The first
// request of an interval polls the items that are due, and its result serves later requests. `PollPolicy` decides which
// items are due.
import { rejectOnAbort } from '../../api/abort.ts';
import type { CallOptions } from '../../api/client.ts';
import type { RequestCounter } from '../../api/request-counter.ts';
import type { RunContext } from '../../plan/run/run-context.ts';
import { completionEvents, pollEvents } from '../../telemetry/events.ts';
import { type OpenItem, PollPolicy, type PollState, type PollTerms } from './poll-policy.ts';
import { type PollerContext, type SharingOptions, sharePerPoller } from './poller-context.ts';
import { tolerateSomeFailures } from './read-each.ts';
import type { WakeUpKind } from './wake-ups.ts';

/** A kind of work: how its items are identified and read, and what a poll costs. */
export interface PolledWork<Item, Status> extends PollTerms {
  /** Label of the poller in metrics. */
  name: string;
  idOf: (item: Item) => string;
  /** True if the status is final, so that the item is not polled again. */
  isFinished: (status: Status) => boolean;
  /** Reads statuses by id. Unreadable items are missing. Reads do not overlap, except reads of full pages. */
  read: (items: readonly Item[], poll: Poll<Status>) => Promise<ReadonlyMap<string, Status>>;
  /** Notifications that announce changes. If absent, items are polled only at intervals. */
  wakeUps?: {
    kind: WakeUpKind;
    idOf: (item: Item) => string;
    /** True if announced changes should be read now although nothing else is due. */
    hasDueChanges?: () => boolean;
  };
}

export interface Poll<Status> {
  /** Options for each request of the poll. A poll for several runs is counted for the run that caused it. */
  options: CallOptions;
  /** Ids of items whose change a notification has announced. */
  wokenIds: ReadonlySet<string>;
  /** Reports statuses that are known before the poll has ended. */
  report: (statuses: ReadonlyMap<string, Status>) => void;
}

interface PolledStatus<Status> {
  status: Status;
  /** When this status was recorded. For a finished item, when it was first seen finished. */
  recordedAtMs: number;
}

/** A wait that requests statuses. If it is cancelled, it stops waiting, but the poll continues for other waits. */
interface PollRequester {
  requests: RequestCounter;
  signal?: AbortSignal;
  run?: Pick<RunContext, 'assetCount'>;
  /** While polls are throttled, the requester can continue after only `batchAssets` finished items. */
  wait?: { batchAssets: number } | null;
}

interface TrackedItem<Item, Status> extends OpenItem {
  id: string;
  item: Item;
  lastRequestedAtMs: number;
  /** Start of the latest poll that found the item open. Before any such poll, when the item was first requested. */
  seenOpenAtMs: number;
  /** True if a notification caused the latest poll of the item. */
  isByWakeUp: boolean;
  /** Status from the latest poll. Absent before the first poll. */
  polledStatus?: PolledStatus<Status> | undefined;
}

/** Time for collecting a batch. Attempts in one interval start a few ms apart, each with its own items. */
const batchWindowMs = 40;
/** Items that nobody has requested for this time are forgotten. */
const forgetAfterMs = 120_000;

export class StatusPoller<Item, Status> {
  readonly #polledWork: PolledWork<Item, Status>;
  readonly #policy: PollPolicy;
  readonly #context: PollerContext;
  readonly #tracked = new Map<string, TrackedItem<Item, Status>>();
  /** Tracked items that are not known to be finished. They have their own map, because each request counts them. */
  readonly #openItems = new Map<string, TrackedItem<Item, Status>>();
  readonly #createdAtMs = new Map<string, number>();
  /** Wake functions of waiting requests, called for new statuses: a request may end once enough items are finished. */
  readonly #waitingRequests = new Set<() => void>();
  /** Number of polls that are running or about to start. */
  #underWay = 0;
  /** Items to be read together, from requests that arrive within a short time or while another batch is being read. */
  #nextBatch: { tracked: TrackedItem<Item, Status>[]; done: Promise<void> } | null = null;
  #lastBatch: Promise<void> = Promise.resolve();

  constructor(polledWork: PolledWork<Item, Status>, context: PollerContext) {
    this.#polledWork = polledWork;
    this.#context = context;
    this.#policy = new PollPolicy(context.client.pollBudget, polledWork);
    context.lags.push(() => this.#policy.lag(this.#state()));
  }

  /** True while notifications announce nearly every change. */
  get areWakeUpsReliable(): boolean {
    const { wakeUps } = this.#polledWork;
    return wakeUps !== undefined && this.#context.wakeUps.isReliable(wakeUps.kind);
  }

  idOf(item: Item): string {
    return this.#polledWork.idOf(item);
  }

  /** Treats newly created items as just polled, so that their first poll comes after a wake-up or an interval. */
  recordCreated(ids: readonly string[]): void {
    const nowMs = this.#context.monotonicNow();
    for (const id of ids) this.#createdAtMs.set(id, nowMs);
    for (const [id, createdAtMs] of this.#createdAtMs) {
      if (nowMs - createdAtMs <= forgetAfterMs) break;
      this.#createdAtMs.delete(id);
    }
  }

  /** Includes these items in the next poll without causing one. Returns their ids. */
  track(items: readonly Item[]): string[] {
    const nowMs = this.#context.monotonicNow();
    return items.map((item) => {
      const id = this.#polledWork.idOf(item);
      const known = this.#tracked.get(id) ?? {
        id,
        firstRequestedAtMs: nowMs,
        lastPolledAtMs: this.#createdAtMs.get(id) ?? Number.NEGATIVE_INFINITY,
        seenOpenAtMs: nowMs,
        isByWakeUp: false,
      };
      const tracked = Object.assign(known, { item, lastRequestedAtMs: nowMs });
      this.#tracked.set(id, tracked);
      if (!this.#isFinished(tracked)) this.#openItems.set(id, tracked);
      return id;
    });
  }

  /** Returns statuses by id from the latest poll, which this request may cause. Items not yet polled are missing. */
  poll(
    items: readonly Item[],
    requester: PollRequester,
  ): Promise<Map<string, PolledStatus<Status>>> {
    const ids = this.track(items);
    const state = this.#state();
    this.#policy.recordRequest(requester.run ?? {}, state.nowMs);
    const wokenIds = this.#idsToWake(items, state.nowMs);
    this.#startPolls(this.#policy.choose(ids, wokenIds, state), requester.requests);
    return this.#waitForStatuses(ids, requester);
  }

  /** Returns statuses by id without polling known ones. Items that were never polled or were missing are polled now. */
  readKnown(
    items: readonly Item[],
    requester: PollRequester,
  ): Promise<Map<string, PolledStatus<Status>>> {
    const ids = this.track(items);
    // Items that were missing may exist by now.
    const unknownIds = ids.filter(
      (id) => (this.#tracked.get(id)?.polledStatus?.status ?? null) === null,
    );
    this.#startPolls(unknownIds, requester.requests);
    return this.#waitForStatuses(ids, { ...requester, wait: null });
  }

  /** Discards the statuses of items that have changed, so that the next request polls even finished ones. */
  invalidate(items: readonly Item[]): void {
    for (const item of items) {
      const tracked = this.#tracked.get(this.#polledWork.idOf(item));
      if (!tracked) continue;
      delete tracked.polledStatus;
      this.#openItems.set(tracked.id, tracked);
    }
  }

  /** True if a wake-up of the item arrived after its last poll started, unless the item is finished. */
  hasWakeUp(item: Item): boolean {
    const wakeUp = this.#wakeUpOf(item);
    if (wakeUp === null || !this.#context.wakeUps.has(wakeUp)) return false;
    const tracked = this.#tracked.get(this.#polledWork.idOf(item));
    return tracked === undefined || !this.#isFinished(tracked);
  }

  #wakeUpOf(item: Item): string | null {
    const { wakeUps } = this.#polledWork;
    return wakeUps ? `${wakeUps.kind}/${wakeUps.idOf(item)}` : null;
  }

  async #waitForStatuses(
    ids: readonly string[],
    { signal, wait }: PollRequester,
  ): Promise<Map<string, PolledStatus<Status>>> {
    const tracked = ids.flatMap((id) => this.#tracked.get(id) ?? []);
    const inFlight = new Set(tracked.flatMap((entry) => entry.inFlight ?? []));
    const isPartEnough = wait && this.#policy.isThrottled(this.#state());
    const minFinished = isPartEnough ? wait.batchAssets : Number.POSITIVE_INFINITY;
    let wake = () => {};
    const enoughFinished = new Promise<void>((resolve) => {
      wake = () => {
        if (tracked.filter((entry) => this.#isFinished(entry)).length >= minFinished) resolve();
      };
    });
    this.#waitingRequests.add(wake);
    wake();
    try {
      await rejectOnAbort(signal, Promise.race([Promise.all(inFlight), enoughFinished]));
    } finally {
      this.#waitingRequests.delete(wake);
    }
    return new Map(
      tracked.flatMap(({ id, polledStatus }) => (polledStatus ? [[id, polledStatus]] : [])),
    );
  }

  /**
   * Returns the ids of all open items with a wake-up. Empty if none of `items` has a wake-up or no poll is due.
   */
  #idsToWake(items: readonly Item[], nowMs: number): string[] {
    if (!items.some((item) => this.hasWakeUp(item))) return [];
    const wokenIds = [...this.#openItems].flatMap(([id, { item }]) =>
      this.hasWakeUp(item) ? id : [],
    );
    if (this.#policy.isWakeUpDue(wokenIds.length, nowMs)) return wokenIds;
    this.#context.wakeUps.wakeWaitsSoon();
    return [];
  }

  #startPolls(ids: readonly string[], requests: RequestCounter): void {
    if (ids.length > 0) this.#dropUnrequested();
    const tracked = ids.flatMap((id) => {
      const entry = this.#openItems.get(id);
      return entry === undefined || entry.inFlight ? [] : entry;
    });
    if (tracked.length === 0) return;
    const lastPolledAtMs = this.#context.monotonicNow();
    for (const entry of tracked) {
      entry.lastPolledAtMs = lastPolledAtMs;
      entry.isByWakeUp = this.hasWakeUp(entry.item);
      const wakeUp = this.#wakeUpOf(entry.item);
      if (wakeUp !== null) this.#context.wakeUps.consume(wakeUp);
    }
    const wokenItems = tracked.filter(({ isByWakeUp }) => isByWakeUp).length;
    pollEvents.emit({ poller: this.#polledWork.name, items: tracked.length, wokenItems });
    const parts = this.#policy.parts(tracked);
    const polls = tolerateSomeFailures(parts.map((part) => this.#startPart(part, requests)));
    for (const [index, part] of parts.entries()) {
      const poll = polls[index];
      // The error rejects waiting requests. If no request is waiting, the rejection must not end the process.
      poll?.catch(() => {});
      for (const entry of part) entry.inFlight = poll;
    }
  }

  /** Reads a full page immediately. Other items join the next batch, so that more requests share a slow read. */
  #startPart(
    tracked: readonly TrackedItem<Item, Status>[],
    requests: RequestCounter,
  ): Promise<void> {
    const next = this.#nextBatch;
    const isFullPage = this.#policy.isFullPage(tracked.length);
    if (next && !isFullPage) {
      next.tracked.push(...tracked);
      return next.done;
    }
    this.#underWay += 1;
    if (isFullPage) return this.#read(tracked, requests);
    const windowMs = tracked.some(({ isByWakeUp }) => isByWakeUp) ? 0 : batchWindowMs;
    const batch = { tracked: [...tracked], done: this.#lastBatch };
    batch.done = this.#lastBatch
      .then(() => new Promise((resolve) => setTimeout(resolve, windowMs)))
      .then(() => {
        this.#nextBatch = null;
        return this.#read(batch.tracked, requests);
      });
    this.#nextBatch = batch;
    this.#lastBatch = batch.done.catch(() => {});
    return batch.done;
  }

  async #read(
    tracked: readonly TrackedItem<Item, Status>[],
    requests: RequestCounter,
  ): Promise<void> {
    const items = tracked.map(({ item }) => item);
    const wokenIds = new Set(tracked.flatMap(({ id, isByWakeUp }) => (isByWakeUp ? id : [])));
    const report = (statuses: ReadonlyMap<string, Status>) => this.#recordStatuses(statuses);
    const options = { priority: 'status', requestCounter: requests } as const;
    try {
      report(await this.#polledWork.read(items, { options, wokenIds, report }));
    } catch (error) {
      // The next interval polls these items again.
      for (const entry of tracked) entry.lastPolledAtMs = Number.NEGATIVE_INFINITY;
      throw error;
    } finally {
      this.#underWay -= 1;
      for (const entry of tracked) delete entry.inFlight;
      const state = this.#state();
      // Requests arrive rarely while polls are throttled, so the end of one poll starts the next one.
      if (this.#waitingRequests.size > 0 && this.#policy.isThrottled(state))
        this.#startPolls(this.#policy.chooseDue(state), requests);
      if (items.some((item) => this.hasWakeUp(item))) this.#context.wakeUps.wakeWaitsSoon();
    }
  }

  #recordStatuses(statuses: ReadonlyMap<string, Status>): void {
    const nowMs = this.#context.monotonicNow();
    for (const [id, status] of statuses) {
      const tracked = this.#tracked.get(id);
      // A poll may report a finished status early (`Poll.report`) and again in its result.
      if (!tracked || this.#isFinished(tracked)) continue;
      tracked.polledStatus = { status, recordedAtMs: nowMs };
      const { item, firstRequestedAtMs, lastPolledAtMs, seenOpenAtMs, isByWakeUp } = tracked;
      const isFinished = this.#polledWork.isFinished(status);
      const ageMs = (isFinished ? nowMs : lastPolledAtMs) - firstRequestedAtMs;
      const lastOpenAgeMs = seenOpenAtMs - firstRequestedAtMs;
      this.#policy.observe({ lastOpenAgeMs, ageMs, isFinished });
      if (!isFinished) {
        this.#openItems.set(id, tracked);
        tracked.seenOpenAtMs = Math.max(seenOpenAtMs, lastPolledAtMs);
        continue;
      }
      this.#openItems.delete(id);
      const withinMs = nowMs - seenOpenAtMs;
      completionEvents.emit({ poller: this.#polledWork.name, withinMs, hasWakeUp: isByWakeUp });
      const wakeUp = this.#wakeUpOf(item);
      if (wakeUp !== null) this.#context.wakeUps.recordFinished(wakeUp);
    }
    for (const wake of this.#waitingRequests) wake();
  }

  #isFinished({ polledStatus }: TrackedItem<Item, Status>): boolean {
    return polledStatus !== undefined && this.#polledWork.isFinished(polledStatus.status);
  }

  #dropUnrequested(): void {
    const nowMs = this.#context.monotonicNow();
    // With long poll intervals, requests are rare, so items that somebody is still waiting for are kept longer.
    const keptMs = Math.max(forgetAfterMs, 5 * this.#policy.gapMs(this.#tracked.size));
    for (const [id, { lastRequestedAtMs }] of this.#tracked) {
      if (nowMs - lastRequestedAtMs <= keptMs) continue;
      this.#tracked.delete(id);
      this.#openItems.delete(id);
    }
  }

  #state(): PollState {
    return {
      openItems: this.#openItems,
      underWay: this.#underWay,
      areNotificationsReliable:
        this.areWakeUpsReliable && !this.#polledWork.wakeUps?.hasDueChanges?.(),
      nowMs: this.#context.monotonicNow(),
    };
  }
}

/** Returns the poller for a kind of work. All users of a poller context share it. */
export function shareStatusPoller<Item, Status>(
  workOf: (context: PollerContext) => PolledWork<Item, Status>,
  options?: Pick<SharingOptions, 'byNamedPaths'>,
): (context: PollerContext) => StatusPoller<Item, Status> {
  const createPoller = (context: PollerContext) => new StatusPoller(workOf(context), context);
  return sharePerPoller(createPoller, { ...options, isUrgentApart: true });
}
