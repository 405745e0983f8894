// What is worth a look while the allowance is tight: what is probably over, as much of it as a request tells of.
import type { Pace } from '../../api/urgent.ts';
import type { RunContext } from '../../plan/run-context.ts';
import { RipeAge } from './ripe-age.ts';
import { isHalfSpent, needsMore } from './ticks.ts';

export interface RationOptions {
  pace: Pace;
  /** Requests of a look at so many items. */
  priceOf: (items: number) => number;
  /** Items that a request tells of: as many that are probably over are worth a look at once. */
  page: number;
  /** A look is at a page of items alone; else it is at everything. */
  byPages: boolean;
}

/** An open item, by times of the looks' clock. */
export interface Aging {
  firstAskedAtMs: number;
  /** When the last look at it began; before it was asked for where none has. */
  knownAtMs: number;
}

/** What is known of other looks. */
interface Looks {
  /** Looks that have not ended. */
  underWay: number;
  /** None of them is at this item. */
  isFree: (id: string) => boolean;
  /** Has enough time passed since the last one, for one at so many items? */
  isTime: (items: number) => boolean;
}

/**
 * Looks are rationed once half of the allowance is spent, and for a run that will need more than there is where one at
 * everything costs so much of what a minute permits.
 */
const dearShare = 0.005;
/** Who asks for such a run asks again within this time. */
const needyForMs = 60_000;
/** What a look found open is worth another when it is older by so much. */
const olderBy = 1.3;
/** Things that have waited so long are probed now and then before they are ripe: a kind that is quicker may have come. */
const probedFromMs = 10_000;
const probedEveryMs = 15_000;
/** More would stand in line for places that others need sooner. */
const pagesAtOnce = 2;
/** What a look at everything costs beyond what it finds is little where so many pages are ripe. */
const pagesWorthAll = 3;

export class Ration {
  readonly ripeAge = new RipeAge();
  readonly #options: RationOptions;
  #probedAtMs = Number.NEGATIVE_INFINITY;
  /** When somebody asked last for a run that will need more than there is. */
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

  /** Somebody asks for this run. */
  askedFor(run: Pick<RunContext, 'toDo'>, nowMs: number): void {
    if (needsMore(this.#options.pace, run)) this.#needyAtMs = nowMs;
  }

  /** @param open items that are not known to be over; a page of them costs so little that it is not rationed */
  isTight(open: number, nowMs: number): boolean {
    const { pace, priceOf, page } = this.#options;
    if (pace.limit === undefined || open <= page) return false;
    const isNeedy = nowMs - this.#needyAtMs < needyForMs;
    return isHalfSpent(pace) || (isNeedy && priceOf(open) > dearShare * pace.limit);
  }

  /**
   * Those of the open items to look at now, the first that were asked for first. While nobody knows how long things take
   * one page tells it.
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

  /** Is it probably over, or so much older than at the last look that it may be? */
  #isRipe({ firstAskedAtMs, knownAtMs }: Aging, nowMs: number): boolean {
    const lookedAtAgeMs = Math.max(0, knownAtMs - firstAskedAtMs);
    return nowMs - firstAskedAtMs >= Math.max(this.ripeAge.ms, olderBy * lookedAtAgeMs);
  }
}

function isProbed({ firstAskedAtMs, knownAtMs }: Aging, nowMs: number): boolean {
  return knownAtMs < firstAskedAtMs && nowMs - firstAskedAtMs >= probedFromMs;
}

/** Ids of the first items that are wanted, so many at most. */
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
