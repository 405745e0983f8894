// Decides which items are polled, and when, from the rate budget, earlier polls and the time. Does no I/O.
import type { PollBudget } from '../../api/rate-limit/budget.ts';
import { chunks } from '../../plan/helpers/chunks.ts';
import type { RunContext } from '../../plan/run/run-context.ts';
import { DurationEstimate, type Observation } from './duration-estimate.ts';

/** Poll interval while the budget is not tight. Intervals are aligned to the clock, so that all waits poll together. */
export const basePollIntervalMs = 1_000;
const tightPollIntervalMs = 8_000;

/**
 * Poll interval under a budget pressure of 0 (idle) to 1 (the allowance is used up). Polls become rarer from half of
 * the allowance on, so that creating calls are not delayed: a late poll only adds latency.
 */
export function pollIntervalForMs(pressure: number): number {
  if (pressure < 0.5) return basePollIntervalMs;
  const share = Math.min((pressure - 0.5) / 0.5, 1);
  return Math.round(
    basePollIntervalMs + share * share * (tightPollIntervalMs - basePollIntervalMs),
  );
}

/** Maximum poll interval as a share of the time already waited. */
const lateShare = 1 / 128;
const maxPollIntervalMs = 64_000;

/** Poll interval after a long wait. It doubles with each doubling of the wait, so that intervals stay aligned. */
export function computeLateIntervalMs(intervalMs: number, waitMs: number): number {
  const maxMs = Math.min(waitMs * lateShare, maxPollIntervalMs);
  let waitIntervalMs = intervalMs;
  while (waitIntervalMs * 2 <= maxMs) waitIntervalMs *= 2;
  return waitIntervalMs;
}

/** Computes the time until the next shared poll, at least 250 ms: Temporal fails an activity whose retry delay is 0. */
export function computeMsUntilInterval(nowMs: number, intervalMs: number): number {
  const msUntilInterval = intervalMs - (nowMs % intervalMs);
  return msUntilInterval < 250 ? msUntilInterval + intervalMs : msUntilInterval;
}

/** True if half of the allowance is spent. Returns false while the allowance is unknown. */
export function isBudgetHalfSpent(pollBudget: PollBudget): boolean {
  return pollBudget.limit !== undefined && pollBudget.pressure() >= 0.5;
}

/** Minimum number of requests per asset, if all calls are full. */
const requestsPerAsset = 0.1;

/** True if the run will need more requests than a minute permits. False while either number is unknown. */
export function willExceedAllowance(
  pollBudget: PollBudget,
  { assetCount = 0 }: Pick<RunContext, 'assetCount'>,
): boolean {
  return assetCount * requestsPerAsset > (pollBudget.limit ?? Number.POSITIVE_INFINITY);
}

/** Share of the allowance that polls may take once half of it is spent. The rest is for creating calls. */
const pollShare = 0.25;
const maxGapMs = 60_000;

/**
 * Minimum time between two polls of `requests` requests each, ms. This is about one poll interval while the allowance
 * is unknown or less than half spent. From then on the time grows with the number of requests.
 */
export function pollGapMs(budget: PollBudget, requests: number): number {
  const pressure = budget.pressure();
  // Attempts start a little early or late, so a poll is due somewhat before its interval is over.
  const intervalMs = 0.6 * pollIntervalForMs(pressure);
  const { limit } = budget;
  if (pressure < 0.5 || limit === undefined) return intervalMs;
  const priceMs = (requests / (pollShare * limit)) * 60_000;
  return Math.min(Math.max(intervalMs, priceMs), Math.max(intervalMs, maxGapMs));
}

/** Minimum interval at which held waits are woken, because each wake-up may cost a request. */
export const wakeIntervalMs = 240;
/** Minimum time between polls that wake-ups cause. It is below `wakeIntervalMs`: waits are woken early or late. */
const wakeUpGapMs = 0.8 * wakeIntervalMs;
/** Interval of polls for missed notifications while delivery is reliable: a second per request, within bounds. */
const restMs = { min: 5_000, perRequest: basePollIntervalMs, max: 60_000 };

/** How one kind of work is polled, and what that costs. */
export interface PollTerms {
  /** Items that one request reads. */
  pageSize: number;
  /** @default 1 */
  requestsPerPage?: number;
  /**
   * `page`: a poll can read single pages of items. `all`: a poll reads all items, because they share a list. If absent,
   * polls are never throttled, because they are rare or cheap.
   */
  reads?: 'page' | 'all';
  /** Minimum time between two polls of the given number of items, ms, whatever the allowance permits. @default 0 */
  minIntervalMs?: (items: number) => number;
}

/** An item that is not known to be finished. Its times are those of the polling clock. */
export interface OpenItem {
  firstRequestedAtMs: number;
  /** When the last poll of the item started. -Infinity if there was none. */
  lastPolledAtMs: number;
  /** Set while a poll reads the item. */
  inFlight?: Promise<void> | undefined;
}

/** The open items and running polls of a status poller. */
export interface PollState {
  openItems: ReadonlyMap<string, OpenItem>;
  /** Number of polls that are running or about to start. */
  underWay: number;
  /** True while notifications are relied on: they announce nearly every change, so other polls may be rare. */
  areNotificationsReliable: boolean;
  nowMs: number;
}

/** Requests of one interval arrive within this time of each other. Later ones are served from memory. */
const joinWindowMs = 100;
/**
 * Polls are throttled once half of the allowance is spent. In a run that will need more than the allowance, they are
 * throttled earlier: when a poll of all items would cost this share of the requests permitted per minute.
 */
const expensivePollShare = 0.005;
/** Polls are throttled earlier for this time after a poll request of a run that will need more than the allowance. */
const demandMemoryMs = 60_000;
/** An item that a poll found open is polled again once its age has grown by this factor. */
const repollAgeFactor = 1.3;
/** Items of this age are polled at times although they are probably open, because newer items may finish sooner. */
const probeFromAgeMs = 10_000;
const probeIntervalMs = 15_000;
/** Maximum number of concurrent page polls. More would queue for allowance that other requests need sooner. */
const maxConcurrentPages = 2;
/** Maximum number of pages of probably finished items to collect if a poll reads all items anyway. */
const pagesForFullPoll = 3;

export class PollPolicy {
  readonly #budget: PollBudget;
  readonly #terms: PollTerms;
  readonly #estimate = new DurationEstimate();
  #lastPollAtMs = Number.NEGATIVE_INFINITY;
  #lastWakeUpPollAtMs = Number.NEGATIVE_INFINITY;
  #probedAtMs = Number.NEGATIVE_INFINITY;
  /** When a run that will need more than the allowance last requested a poll. */
  #lastDemandAtMs = Number.NEGATIVE_INFINITY;

  constructor(budget: PollBudget, terms: PollTerms) {
    this.#budget = budget;
    this.#terms = terms;
  }

  /** Notes that this run has requested a poll. */
  recordRequest(run: Pick<RunContext, 'assetCount'>, nowMs: number): void {
    if (willExceedAllowance(this.#budget, run)) this.#lastDemandAtMs = nowMs;
  }

  /** Notes that a poll has seen an item. */
  observe(observation: Observation): void {
    this.#estimate.observe(observation);
  }

  /**
   * Chooses the ids to poll now, when a wait requests some items.
   * @param wokenIds ids of open items whose change a notification has announced
   */
  choose(
    requestedIds: readonly string[],
    wokenIds: readonly string[],
    state: PollState,
  ): readonly string[] {
    const { openItems, areNotificationsReliable, nowMs } = state;
    if (requestedIds.length === 0) return [];
    const isForAll = wokenIds.length > 0 && this.#terms.reads === 'all';
    const dueIds = this.chooseDue(state, isForAll);
    const chosen = dueIds.length > 0 ? dueIds : wokenIds;
    if (chosen.length > 0) {
      this.#lastWakeUpPollAtMs = nowMs;
      return chosen;
    }
    if (
      areNotificationsReliable ||
      this.isThrottled(state) ||
      nowMs - this.#lastPollAtMs >= joinWindowMs
    )
      return [];
    // The last poll of this interval may not cover all requested items.
    return requestedIds.filter(
      (id) => (openItems.get(id)?.lastPolledAtMs ?? nowMs) < this.#lastPollAtMs,
    );
  }

  /**
   * Chooses the ids of the due items: all at each interval; while throttled, only those probably finished.
   * @param isForAll all items are due now
   */
  chooseDue(state: PollState, isForAll = false): readonly string[] {
    const { openItems, nowMs } = state;
    const isThrottled = !isForAll && this.isThrottled(state);
    const throttledIds = isThrottled ? this.#chooseThrottled(state) : [];
    const isFull = isThrottled
      ? throttledIds.length > 0 && this.#terms.reads === 'all'
      : isForAll || this.#isDue(openItems.size, state);
    const dueIds = isFull ? [...openItems.keys()] : throttledIds;
    if (dueIds.length > 0) this.#lastPollAtMs = nowMs;
    return dueIds;
  }

  /** True if enough time has passed since the last poll for another one, of this number of items with wake-ups. */
  isWakeUpDue(items: number, nowMs: number): boolean {
    const requests = this.#requestsFor(items);
    const gapMs = this.#budget.pressure() < 0.5 ? wakeUpGapMs : pollGapMs(this.#budget, requests);
    return nowMs - this.#lastWakeUpPollAtMs >= gapMs;
  }

  /** True if polls read only items that are probably finished. Polls of a single page are cheap and never throttled. */
  isThrottled({ openItems, areNotificationsReliable, nowMs }: PollState): boolean {
    const { limit } = this.#budget;
    const { reads, pageSize } = this.#terms;
    if (reads === undefined || areNotificationsReliable || limit === undefined) return false;
    if (openItems.size <= pageSize) return false;
    if (isBudgetHalfSpent(this.#budget)) return true;
    const hasDemand = nowMs - this.#lastDemandAtMs < demandMemoryMs;
    return hasDemand && this.#requestsFor(openItems.size) > expensivePollShare * limit;
  }

  /** Splits items into parts. Each part is read by its own poll. */
  parts<Item>(items: readonly Item[]): (readonly Item[])[] {
    return this.#terms.reads === 'page' ? chunks(items, this.#terms.pageSize) : [items];
  }

  /** True if a part is a full page, so that it need not wait for items of other requests. */
  isFullPage(items: number): boolean {
    return this.#terms.reads === 'page' && items === this.#terms.pageSize;
  }

  /**
   * Poll lag: the time between two polls as a share of the estimated duration of the items, 0 to 1. More items make
   * polls more expensive and therefore rarer. 0 while notifications announce changes.
   */
  lag(state: PollState): number {
    if (state.areNotificationsReliable || !this.#estimate.isKnown) return 0;
    const { size } = state.openItems;
    const atOnce = this.isThrottled(state) ? Math.min(this.#terms.pageSize, size) : size;
    return Math.min(1, this.gapMs(atOnce) / this.#estimate.ms);
  }

  /** Minimum time between two polls of this number of items, ms. */
  gapMs(items: number): number {
    const minMs = this.#terms.minIntervalMs?.(items) ?? 0;
    return Math.max(minMs, pollGapMs(this.#budget, this.#requestsFor(items)));
  }

  /**
   * Chooses probably finished items, oldest request first. Full pages are polled immediately, and a part of a page only
   * after `gapMs`. While the duration is unknown, one page is polled to learn it.
   */
  #chooseThrottled(state: PollState): readonly string[] {
    const { openItems, underWay, nowMs } = state;
    const { pageSize, reads } = this.#terms;
    const freePages = (reads === 'page' ? maxConcurrentPages : 1) - underWay;
    if (freePages <= 0) return [];
    const pages = reads === 'all' ? pagesForFullPoll : this.#estimate.isKnown ? freePages : 1;
    const ids = takeIds(openItems, pages * pageSize, (item) =>
      this.#isProbablyFinished(item, nowMs),
    );
    const full = ids.length - (ids.length % pageSize);
    if (reads === 'page' && this.#estimate.isKnown && full > 0) return ids.slice(0, full);
    if (ids.length > 0) return this.#isDue(ids.length, state) ? ids : [];
    if (!this.#isDue(pageSize, state) || nowMs - this.#probedAtMs < probeIntervalMs) return [];
    const probed = takeIds(openItems, pageSize, (item) => isWorthProbing(item, nowMs));
    if (probed.length > 0) this.#probedAtMs = nowMs;
    return probed;
  }

  /** True if the item has the estimated age, and has aged enough since a poll found it open. */
  #isProbablyFinished({ firstRequestedAtMs, lastPolledAtMs }: OpenItem, nowMs: number): boolean {
    const lastPolledAgeMs = Math.max(0, lastPolledAtMs - firstRequestedAtMs);
    const minAgeMs = Math.max(this.#estimate.ms, repollAgeFactor * lastPolledAgeMs);
    return nowMs - firstRequestedAtMs >= minAgeMs;
  }

  /** True if enough time has passed since the last poll for one of this number of items. */
  #isDue(items: number, { openItems, areNotificationsReliable, nowMs }: PollState): boolean {
    if (nowMs - this.#lastPollAtMs < this.gapMs(items)) return false;
    if (!areNotificationsReliable) return true;
    // This poll only finds missed changes, because notifications announce the others.
    let oldestAtMs = nowMs;
    for (const { lastPolledAtMs } of openItems.values())
      oldestAtMs = Math.min(oldestAtMs, lastPolledAtMs);
    const requests = this.#terms.reads === 'all' ? 1 : this.#requestsFor(items);
    const { min, perRequest, max } = restMs;
    return nowMs - oldestAtMs >= Math.min(Math.max(min, perRequest * requests), max);
  }

  #requestsFor(items: number): number {
    const { pageSize, requestsPerPage = 1 } = this.#terms;
    return requestsPerPage * Math.ceil(items / pageSize);
  }
}

function isWorthProbing({ firstRequestedAtMs, lastPolledAtMs }: OpenItem, nowMs: number): boolean {
  return lastPolledAtMs < firstRequestedAtMs && nowMs - firstRequestedAtMs >= probeFromAgeMs;
}

/** Returns the ids of the first wanted items that no poll is reading, at most `maxIds`. */
function takeIds(
  openItems: PollState['openItems'],
  maxIds: number,
  isWanted: (item: OpenItem) => boolean,
): string[] {
  const ids: string[] = [];
  for (const [id, item] of openItems) {
    if (item.inFlight || !isWanted(item)) continue;
    ids.push(id);
    if (ids.length === maxIds) break;
  }
  return ids;
}
