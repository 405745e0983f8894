// Reserves renders of the current month before they are submitted, for pipelines with a render quota.

import { assetFailures } from '../../failures/assets.ts';
import { fail } from '../../failures/fail.ts';
import { monthOf } from '../../language/calendar/month.ts';
import { formatUtcMinutes } from '../../plan/contract/canary.ts';
import { formatCount, formatNumber } from '../../plan/helpers/format-count.ts';
import type { RenderQuota } from '../../plan/render-quota.ts';
import type { StepHold } from '../../plan/shard/step-contract.ts';
import type { Asset, AssetResult } from '../../plan/types.ts';
import type { Intent } from '../../store/calls/intents.ts';
import type { RenderCounts } from '../../store/calls/render-counts.ts';

/** A call was not sent, because its renders do not fit into the month. */
export class QuotaReachedError extends Error {
  override name = 'QuotaReachedError';
  readonly code = assetFailures.RENDER_QUOTA_REACHED.code;
  /** Number of renders that still fit. */
  readonly rendersLeft: number;
  /** Returns results of assets that cannot be rendered. Assets that wait for the next month have no result. */
  readonly resultsOf: (assets: readonly Pick<Asset, 'key'>[]) => AssetResult[];

  constructor(message: string, rendersLeft: number, resultsOf: QuotaReachedError['resultsOf']) {
    super(message);
    this.rendersLeft = rendersLeft;
    this.resultsOf = resultsOf;
  }

  retryDelayMs(): null {
    return null;
  }
}

const minuteMs = 60_000;
/** Maximum difference between the clocks of any two workers. */
const maxClockSkewMs = 1_000;
/** Time added to the end of the month, because the platform's clock may be slightly behind. */
const marginMs = 5_000;

/**
 * Returns a time shortly after the end of the month. It is rounded so that all activities compute the same value
 * although their clocks differ by some ms, because each distinct value costs the shard a timer.
 */
function holdUntilMs(endsAtMs: number): number {
  return Math.ceil((endsAtMs - maxClockSkewMs) / minuteMs) * minuteMs + marginMs;
}

/** `now` is the platform's time and `runNow` is Temporal's time, both in epoch ms. */
type Clock = Record<'now' | 'runNow', () => number>;

export class RenderReservations {
  readonly #quota: RenderQuota;
  readonly #counts: RenderCounts;
  readonly #clock: Clock;
  #hold: StepHold | undefined;

  constructor(quota: RenderQuota, counts: RenderCounts, clock: Clock) {
    this.#quota = quota;
    this.#counts = counts;
    this.#clock = clock;
  }

  /** The hold of the step until the next month. Undefined if no asset must wait. */
  get hold(): StepHold | undefined {
    return this.#hold;
  }

  /** Name of the stored render count, to which intents refer. */
  get countName(): string {
    return this.#counts.name;
  }

  /** True if the call is counted in any month from the intent's creation until now. */
  async has({ key, createdAt }: Pick<Intent, 'key' | 'createdAt'>): Promise<boolean> {
    return (await this.#monthWith(key, this.#monthsSince(createdAt))) !== undefined;
  }

  /**
   * Counts a call in the current month, unless it is already counted in a month since its intent was written. A call
   * that may have been sent without being counted is counted even if it exceeds the quota.
   * @returns the month in which the call is counted
   * @throws QuotaReachedError
   */
  async reserve(
    { key, createdAt, countedIn }: Pick<Intent, 'key' | 'createdAt' | 'countedIn'>,
    renders: number,
  ): Promise<string> {
    const months = this.#monthsSince(createdAt);
    const month = months.pop() ?? '';
    const earlierMonth = await this.#monthWith(key, months);
    if (earlierMonth !== undefined) return earlierMonth;
    const maxRenders =
      countedIn === this.countName ? this.#quota.perMonth : Number.POSITIVE_INFINITY;
    const result = await this.#counts.reserve({ month, key, renders }, maxRenders);
    if (!result.isCounted) throw this.#quotaReachedError(result.left, renders);
    return month;
  }

  correct(month: string, key: string, renders: number): Promise<void> {
    return this.#counts.correct({ month, key, renders });
  }

  /** Returns the month in which the call is counted, or undefined if there is none. */
  async #monthWith(key: string, months: readonly string[]): Promise<string | undefined> {
    for (const month of months) if (await this.#counts.has(month, key)) return month;
    return undefined;
  }

  /** Returns the names of the months from an intent's creation until now. */
  #monthsSince(createdAt: string): string[] {
    const names: string[] = [];
    const createdAtMs = Date.parse(createdAt);
    // The later time is used, because the intent may come from a worker whose clock is ahead.
    const nowMs = Math.max(createdAtMs, this.#clock.now());
    for (let atMs = createdAtMs; atMs <= nowMs; ) {
      const { name, endsAtMs } = monthOf(atMs, this.#quota.timezone);
      names.push(name);
      atMs = endsAtMs;
    }
    return names;
  }

  /** Creates the error for a call whose renders do not fit. @param requestedRenders renders of the call */
  #quotaReachedError(rendersLeft: number, requestedRenders: number): QuotaReachedError {
    const { perMonth, per, timezone, onBreach } = this.#quota;
    const nowMs = this.#clock.now();
    const { endsAtMs } = monthOf(nowMs, timezone);
    const until = new Date(endsAtMs).toISOString();
    const message = `the render was not submitted: it would exceed the quota of the ${per} (${formatCount(perMonth, 'render')} a month); the next month begins on ${formatUtcMinutes(until)}`;
    return new QuotaReachedError(message, rendersLeft, (assets) => {
      const failWith = (reason: string) =>
        assets.map(({ key }) => fail(assetFailures.RENDER_QUOTA_REACHED, key, reason));
      // The call cannot be split, and it needs more renders than the quota of any month.
      if (assets.length === 1 && requestedRenders > perMonth)
        return failWith(
          `it needs ${formatCount(requestedRenders, 'render')} at once, but the quota of the ${per} is ${formatNumber(perMonth)} a month; raise \`limits.renders.perMonth\``,
        );
      if (onBreach === 'stop') return failWith(message);
      const untilMs = holdUntilMs(this.#clock.runNow() + endsAtMs - nowMs);
      this.#hold = { untilMs, until, for: `the render quota of the next month` };
      return [];
    });
  }
}
