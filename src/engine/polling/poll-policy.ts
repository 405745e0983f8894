// Decides which items are polled, and when, based on the rate budget, earlier polls and the time. Does no I/O.
import type { PollBudget } from '../../api/rate-limit/budget.ts';
import { chunks } from '../../plan/helpers/chunks.ts';
import type { RunContext } from '../../plan/run/run-context.ts';
import { DurationEstimate, type Observation } from './duration-estimate.ts';

/** Poll interval while the budget is not tight. Intervals are aligned to the clock, so that all waits poll together. */
export const basePollIntervalMs = 1_000;
const tightPollIntervalMs = 8_000;

/**
 * Returns the poll interval for a budget pressure of 0 (idle) to 1 (the allowance is used up). From half of the
 * allowance on, polls become rarer so that creating calls are not delayed. A late poll only adds latency.
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

/** Returns the poll interval after a long wait. Doubles whenever the wait doubles, so that intervals stay aligned. */
export function computeLateIntervalMs(intervalMs: number, waitMs: number): number {
  const maxMs = Math.min(waitMs * lateShare, maxPollIntervalMs);
  let waitIntervalMs = intervalMs;
  while (waitIntervalMs * 2 <= maxMs) waitIntervalMs *= 2;
  return waitIntervalMs;
}

/** Computes the time until the next shared poll. At least 250 ms, as Temporal fails activities with a delay of 0. */
export function computeMsUntilInterval(nowMs: number, intervalMs: number): number {
  const msUntilInterval = intervalMs - (nowMs % intervalMs);
  return msUntilInterval < 250 ? msUntilInterval + intervalMs : msUntilInterval;
}

/** True if half of the allowance is spent. False while the allowance is unknown. */
export function isBudgetHalfSpent(pollBudget: PollBudget): boolean {
  return pollBudget.limit !== undefined && pollBudget.pressure() >= 0.5;
}

/** Minimum number of requests per asset, if all calls are full. */
const requestsPerAsset = 0.1;

/** True if the run will need more requests than allowed per minute. False while either number is unknown. */
export function willExceedAllowance(
  pollBudget: PollBudget,
  { assetCount = 0 }: Pick<RunContext, 'assetCount'>,
): boolean {
  return assetCount * requestsPerAsset > (pollBudget.limit ?? Number.POSITIVE_INFINITY);
}

/** Share of the allowance that polls may use once half of it is spent. The rest is for creating calls. */
const pollShare = 0.25;
const maxGapMs = 60_000;

/**
 * Returns the minimum time between two polls of `requests` requests each, in ms. This is about one poll interval while
 * the allowance is unknown or less than half spent. After that, it grows with the number of requests.
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
/** Minimum time between polls caused by wake-ups. Below `wakeIntervalMs`, because waits are woken early or late. */
const wakeUpGapMs = 0.8 * wakeIntervalMs;
/** Interval of polls for missed notifications while delivery is reliable. It is a second per request, within bounds. */
const restMs = { min: 5_000, perRequest: basePollIntervalMs, max: 60_000 };

/** How one kind of work is polled, and what a poll costs. */
export interface PollTerms {
  /** Number of items that one request reads. */
  pageSize: number;
  /** @default 1 */
  requestsPerPage?: number;
  /**
   * `page`: a poll can read single pages of items. `all`: a poll reads all items, because they share a list. If absent,
   * polls are never throttled, because they are rare or cheap.
   */
  reads?: 'page' | 'all';
  /** Returns the minimum time between two polls of this many items, ms, whatever the allowance permits. @default 0 */
  minIntervalMs?: (items: number) => number;
}

/** An item that is not known to be finished. Its times are those of the polling clock. */
export interface OpenItem {
  firstRequestedAtMs: number;
  /** When the last poll of the item started. -Infinity if there has been none. */
  lastPolledAtMs: number;
  /** Set while a poll is reading the item. */
  inFlight?: Promise<void> | undefined;
}

/** The open items and running polls of a status poller. */
export interface PollState {
  openItems: ReadonlyMap<string, OpenItem>;
  /** Number of polls that are running or about to start. */
  underWay: number;
  /** True if notifications announce nearly every change, so that polls without them may be rare. */
  areNotificationsReliable: boolean;
  nowMs: number;
}

/** Requests for one interval arrive within this time of each other. Later ones are served from memory. */
const joinWindowMs = 100;
/**
 * Polls are throttled once half of the allowance is spent. In a run that will need more than the allowance, they are
 * throttled earlier, namely when a poll of all items would cost this share of the requests permitted per minute.
 */
const expensivePollShare = 0.005;
/** How long polls are throttled earlier after a run that will need more than the allowance last requested a poll. */
const demandMemoryMs = 60_000;
/** An item that was found open is polled again once its age has grown by this factor. */
const repollAgeFactor = 1.3;
/** Items of this age are sometimes polled although they are probably open, because newer items may finish sooner. */
const probeFromAgeMs = 10_000;
const probeIntervalMs = 15_000;
/** Maximum number of concurrent page polls. More would queue for permits that other requests need sooner. */
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

  /** Records that this run has requested a poll. */
  recordRequest(run: Pick<RunContext, 'assetCount'>, nowMs: number): void {
    if (willExceedAllowance(this.#budget, run)) this.#lastDemandAtMs = nowMs;
  }

  /** Records that a poll has seen an item. */
  observe(observation: Observation): void {
    this.#estimate.observe(observation);
  }

  /**
   * Chooses the ids to poll now that a wait requests some items.
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
   * Chooses the ids of the due items: all of them at each interval or, while throttled, only those probably finished.
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

  /** True if enough time has passed since the last poll for one of this number of items with wake-ups. */
  isWakeUpDue(items: number, nowMs: number): boolean {
    const requests = this.#requestsFor(items);
    const gapMs = this.#budget.pressure() < 0.5 ? wakeUpGapMs : pollGapMs(this.#budget, requests);
    return nowMs - this.#lastWakeUpPollAtMs >= gapMs;
  }

  /** True if polls read only items that are probably finished. Single-page polls are cheap and never throttled. */
  isThrottled({ openItems, areNotificationsReliable, nowMs }: PollState): boolean {
    const { limit } = this.#budget;
    const { reads, pageSize } = this.#terms;
    if (reads === undefined || areNotificationsReliable || limit === undefined) return false;
    if (openItems.size <= pageSize) return false;
    if (isBudgetHalfSpent(this.#budget)) return true;
    const hasDemand = nowMs - this.#lastDemandAtMs < demandMemoryMs;
    return hasDemand && this.#requestsFor(openItems.size) > expensivePollShare * limit;
  }

  /** Splits items into parts. Each part is read by a poll of its own. */
  parts<Item>(items: readonly Item[]): (readonly Item[])[] {
    return this.#terms.reads === 'page' ? chunks(items, this.#terms.pageSize) : [items];
  }

  /** True if a part is a full page, so that it need not wait for items from other requests. */
  isFullPage(items: number): boolean {
    return this.#terms.reads === 'page' && items === this.#terms.pageSize;
  }

  /**
   * Returns the poll lag, which is the time between two polls as a share of the items' estimated duration, 0 to 1. More
   * items make polls more expensive and therefore rarer. 0 while notifications announce changes.
   */
  lag(state: PollState): number {
    if (state.areNotificationsReliable || !this.#estimate.isKnown) return 0;
    const { size } = state.openItems;
    const atOnce = this.isThrottled(state) ? Math.min(this.#terms.pageSize, size) : size;
    return Math.min(1, this.gapMs(atOnce) / this.#estimate.ms);
  }

  /** Returns the minimum time between two polls of this number of items, in ms. */
  gapMs(items: number): number {
    const minMs = this.#terms.minIntervalMs?.(items) ?? 0;
    return Math.max(minMs, pollGapMs(this.#budget, this.#requestsFor(items)));
  }

  /**
   * Chooses probably finished items, oldest request first. Full pages are polled immediately, and partial pages only
   * after `gapMs`. While the duration is unknown, one page is polled to determine it.
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
    const probed = takeIds(openItems, pageSize, ({ firstRequestedAtMs, lastPolledAtMs }) => {
      const isUnpolled = lastPolledAtMs < firstRequestedAtMs;
      return isUnpolled && nowMs - firstRequestedAtMs >= probeFromAgeMs;
    });
    if (probed.length > 0) this.#probedAtMs = nowMs;
    return probed;
  }

  /** True if the item has reached the estimated age and has aged enough since a poll found it open. */
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
