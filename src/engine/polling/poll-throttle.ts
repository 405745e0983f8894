// Chooses what to poll while the rate allowance is tight: items that are probably finished, in full requests.
import type { PollBudget } from '../../api/rate-limit/poll-budget.ts';
import type { RunContext } from '../../plan/run/run-context.ts';
import { DurationEstimate } from './duration-estimate.ts';
import { exceedsAllowance, isHalfSpent } from './poll-interval.ts';

export interface PollThrottleOptions {
  pollBudget: PollBudget;
  /** Number of requests that one poll of the given number of items takes. */
  requestsFor: (items: number) => number;
  /** Items of one request. This number of probably finished items is worth a poll at once. */
  pageSize: number;
  /** True: a poll can cover single pages of items. False: a poll always covers all open items. */
  pollsByPage: boolean;
}

/** An open item; times are of the polling clock. */
export interface OpenItem {
  firstRequestedAtMs: number;
  /** When the last poll of the item started; -Infinity if there was none. */
  lastPolledAtMs: number;
}

/** State of the other polls. */
interface PollState {
  /** Number of running polls. */
  underWay: number;
  /** True if no running poll covers the item. */
  isIdle: (id: string) => boolean;
  /** True if enough time has passed since the last poll, for a poll of the given number of items. */
  isPollDue: (items: number) => boolean;
}

/**
 * Polls are throttled once half of the allowance is spent. For a run that will need more than the allowance they are
 * throttled earlier: when a poll of all items would cost this share of what a minute permits.
 */
const expensivePollShare = 0.005;
/** A run with such a demand polls again within this time. */
const demandMemoryMs = 60_000;
/** An item that a poll found open is polled again once its age has grown by this factor. */
const repollAgeFactor = 1.3;
/** Items of this age are probed now and then before they are probably finished: a quicker kind may have arrived. */
const probeFromAgeMs = 10_000;
const probeIntervalMs = 15_000;
/** More polls at once would queue for allowance that other requests need sooner. */
const concurrentPages = 2;
/** With this number of pages of probably finished items, a poll of all items costs little more. */
const pagesForFullPoll = 3;

export class PollThrottle {
  readonly durationEstimate = new DurationEstimate();
  readonly #options: PollThrottleOptions;
  #probedAtMs = Number.NEGATIVE_INFINITY;
  /** When a run that will need more than the allowance last requested a poll. */
  #lastDemandAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: PollThrottleOptions) {
    this.#options = options;
  }

  get pollsByPage(): boolean {
    return this.#options.pollsByPage;
  }

  get pageSize(): number {
    return this.#options.pageSize;
  }

  /** Notes a request of this run. */
  noteRequest(run: Pick<RunContext, 'assetCount'>, nowMs: number): void {
    if (exceedsAllowance(this.#options.pollBudget, run)) this.#lastDemandAtMs = nowMs;
  }

  /** @param open number of items not known to be finished; a single page is so cheap that it is never throttled */
  isTight(open: number, nowMs: number): boolean {
    const { pollBudget, requestsFor, pageSize } = this.#options;
    if (pollBudget.limit === undefined || open <= pageSize) return false;
    const hasDemand = nowMs - this.#lastDemandAtMs < demandMemoryMs;
    return (
      isHalfSpent(pollBudget) ||
      (hasDemand && requestsFor(open) > expensivePollShare * pollBudget.limit)
    );
  }

  /**
   * Ids of the open items to poll now, in order of their first request. While the duration is unknown, one page is
   * polled to learn it.
   */
  chooseIds(
    open: Iterable<readonly [string, OpenItem]>,
    nowMs: number,
    { underWay, isIdle, isPollDue }: PollState,
  ): readonly string[] {
    const { pageSize, pollsByPage } = this.#options;
    const freePages = (pollsByPage ? concurrentPages : 1) - underWay;
    if (freePages <= 0) return [];
    const pages = !pollsByPage ? pagesForFullPoll : this.durationEstimate.isKnown ? freePages : 1;
    const first = firstOf(
      open,
      pages * pageSize,
      (id, item) => isIdle(id) && this.#isProbablyFinished(item, nowMs),
    );
    const full = first.length - (first.length % pageSize);
    if (pollsByPage && this.durationEstimate.isKnown && full > 0) return first.slice(0, full);
    if (first.length > 0) return isPollDue(first.length) ? first : [];
    if (!isPollDue(pageSize) || nowMs - this.#probedAtMs < probeIntervalMs) return [];
    const probed = firstOf(open, pageSize, (id, item) => isIdle(id) && isWorthProbing(item, nowMs));
    if (probed.length > 0) this.#probedAtMs = nowMs;
    return probed;
  }

  /** True if the item is probably finished, or has aged enough since the last poll that it may be. */
  #isProbablyFinished({ firstRequestedAtMs, lastPolledAtMs }: OpenItem, nowMs: number): boolean {
    const lastPolledAgeMs = Math.max(0, lastPolledAtMs - firstRequestedAtMs);
    return (
      nowMs - firstRequestedAtMs >=
      Math.max(this.durationEstimate.ms, repollAgeFactor * lastPolledAgeMs)
    );
  }
}

function isWorthProbing({ firstRequestedAtMs, lastPolledAtMs }: OpenItem, nowMs: number): boolean {
  return lastPolledAtMs < firstRequestedAtMs && nowMs - firstRequestedAtMs >= probeFromAgeMs;
}

/** Ids of the first wanted items, at most `max`. */
function firstOf(
  open: Iterable<readonly [string, OpenItem]>,
  max: number,
  isWanted: (id: string, item: OpenItem) => boolean,
): string[] {
  const ids: string[] = [];
  for (const [id, item] of open) {
    if (!isWanted(id, item)) continue;
    ids.push(id);
    if (ids.length === max) break;
  }
  return ids;
}
