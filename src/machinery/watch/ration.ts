// Chooses what to poll while the rate allowance is tight: items that are probably finished, in full requests.
import type { Pace } from '../../api/urgent.ts';
import type { RunContext } from '../../plan/run-context.ts';
import { RipeAge } from './ripe-age.ts';
import { isHalfSpent, needsMore } from './ticks.ts';

export interface RationOptions {
  pace: Pace;
  /** Number of requests that one poll of the given number of items takes. */
  priceOf: (items: number) => number;
  /** Items of one request. This number of probably finished items is worth a poll at once. */
  page: number;
  /** True: a poll can cover single pages of items. False: a poll always covers all open items. */
  byPages: boolean;
}

/** An open item; times are of the polling clock. */
export interface Aging {
  firstAskedAtMs: number;
  /** When the last poll of the item started; -Infinity if there was none. */
  knownAtMs: number;
}

/** State of the other polls. */
interface Looks {
  /** Number of running polls. */
  underWay: number;
  /** True if no running poll covers the item. */
  isFree: (id: string) => boolean;
  /** True if enough time has passed since the last poll, for a poll of the given number of items. */
  isTime: (items: number) => boolean;
}

/**
 * Polls are throttled once half of the allowance is spent. For a run that will need more than the allowance they are
 * throttled earlier: when a poll of all items would cost this share of what a minute permits.
 */
const dearShare = 0.005;
/** A run with such a demand polls again within this time. */
const needyForMs = 60_000;
/** An item that a poll found open is polled again once its age has grown by this factor. */
const olderBy = 1.3;
/** Items of this age are probed now and then before they are probably finished: a quicker kind may have arrived. */
const probedFromMs = 10_000;
const probedEveryMs = 15_000;
/** More polls at once would queue for allowance that other requests need sooner. */
const pagesAtOnce = 2;
/** With this number of pages of probably finished items, a poll of all items costs little more. */
const pagesWorthAll = 3;

export class Ration {
  readonly ripeAge = new RipeAge();
  readonly #options: RationOptions;
  #probedAtMs = Number.NEGATIVE_INFINITY;
  /** When a run that will need more than the allowance last requested a poll. */
  #needyAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: RationOptions) {
    this.#options = options;
  }

  get byPages(): boolean {
    return this.#options.byPages;
  }

  get page(): number {
    return this.#options.page;
  }

  /** Notes a request of this run. */
  askedFor(run: Pick<RunContext, 'toDo'>, nowMs: number): void {
    if (needsMore(this.#options.pace, run)) this.#needyAtMs = nowMs;
  }

  /** @param open number of items not known to be finished; a single page is so cheap that it is never throttled */
  isTight(open: number, nowMs: number): boolean {
    const { pace, priceOf, page } = this.#options;
    if (pace.limit === undefined || open <= page) return false;
    const isNeedy = nowMs - this.#needyAtMs < needyForMs;
    return isHalfSpent(pace) || (isNeedy && priceOf(open) > dearShare * pace.limit);
  }

  /**
   * Ids of the open items to poll now, in order of their first request. While the duration is unknown, one page is
   * polled to learn it.
   */
  choose(
    open: Iterable<readonly [string, Aging]>,
    nowMs: number,
    { underWay, isFree, isTime }: Looks,
  ): readonly string[] {
    const { page, byPages } = this.#options;
    const places = (byPages ? pagesAtOnce : 1) - underWay;
    if (places <= 0) return [];
    const pages = !byPages ? pagesWorthAll : this.ripeAge.isKnown ? places : 1;
    const first = firstOf(
      open,
      pages * page,
      (id, item) => isFree(id) && this.#isRipe(item, nowMs),
    );
    const full = first.length - (first.length % page);
    if (byPages && this.ripeAge.isKnown && full > 0) return first.slice(0, full);
    if (first.length > 0) return isTime(first.length) ? first : [];
    if (!isTime(page) || nowMs - this.#probedAtMs < probedEveryMs) return [];
    const probed = firstOf(open, page, (id, item) => isFree(id) && isProbed(item, nowMs));
    if (probed.length > 0) this.#probedAtMs = nowMs;
    return probed;
  }

  /** True if the item is probably finished, or has aged enough since the last poll that it may be. */
  #isRipe({ firstAskedAtMs, knownAtMs }: Aging, nowMs: number): boolean {
    const lookedAtAgeMs = Math.max(0, knownAtMs - firstAskedAtMs);
    return nowMs - firstAskedAtMs >= Math.max(this.ripeAge.ms, olderBy * lookedAtAgeMs);
  }
}

function isProbed({ firstAskedAtMs, knownAtMs }: Aging, nowMs: number): boolean {
  return knownAtMs < firstAskedAtMs && nowMs - firstAskedAtMs >= probedFromMs;
}

/** Ids of the first wanted items, at most `most`. */
function firstOf(
  open: Iterable<readonly [string, Aging]>,
  most: number,
  isWanted: (id: string, item: Aging) => boolean,
): string[] {
  const ids: string[] = [];
  for (const [id, item] of open) {
    if (!isWanted(id, item)) continue;
    ids.push(id);
    if (ids.length === most) break;
  }
  return ids;
}
