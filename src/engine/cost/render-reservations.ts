// Reserves renders of the month before they are submitted, for runs whose file has a quota.

import { assetFailures } from '../../failures/assets.ts';
import { fail } from '../../failures/fail.ts';
import { monthOf } from '../../language/calendar/month.ts';
import { formatUtcMinutes } from '../../plan/contract/canary.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
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
  readonly left: number;
  /** What becomes of assets that get no render. A step leaves out assets that wait. */
  readonly resultsOf: (assets: readonly Pick<Asset, 'key'>[]) => AssetResult[];

  constructor(message: string, left: number, resultsOf: QuotaReachedError['resultsOf']) {
    super(message);
    this.left = left;
    this.resultsOf = resultsOf;
  }

  retryDelayMs(): null {
    return null;
  }
}

const minuteMs = 60_000;
/** The platform's clock may be a little behind. */
const marginMs = 5_000;

/** The same for all activities, although their clocks differ by some ms: each time is a timer of the shard. */
function holdUntilMs(endsAtMs: number): number {
  return Math.round(endsAtMs / minuteMs) * minuteMs + marginMs;
}

/** The platform's and Temporal's time, epoch ms. */
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

  /** Until when assets of the step wait for the next month; undefined if none does. */
  get hold(): StepHold | undefined {
    return this.#hold;
  }

  /**
   * Counts a call in the month of its intent. A call of an earlier month that was never counted, and so never sent, is counted
   * now.
   * @returns the month in which the call is counted
   * @throws QuotaReachedError
   */
  async reserve(
    { key, createdAt }: Pick<Intent, 'key' | 'createdAt'>,
    renders: number,
  ): Promise<string> {
    const { perMonth, timezone } = this.#quota;
    const { name: month } = monthOf(this.#clock.now(), timezone);
    const { name: monthOfIntent } = monthOf(Date.parse(createdAt), timezone);
    if (monthOfIntent !== month && (await this.#counts.has(monthOfIntent, key)))
      return monthOfIntent;
    const result = await this.#counts.reserve({ month, key, renders }, perMonth);
    if (!result.isCounted) throw this.#reached(result.left);
    return month;
  }

  correct(month: string, key: string, renders: number): Promise<void> {
    return this.#counts.correct({ month, key, renders });
  }

  #reached(left: number): QuotaReachedError {
    const { perMonth, per, timezone, onBreach } = this.#quota;
    const nowMs = this.#clock.now();
    const { endsAtMs } = monthOf(nowMs, timezone);
    const until = new Date(endsAtMs).toISOString();
    const message = `the render was not submitted: ${formatCount(perMonth, 'render')} a month is the quota of the ${per}, and the next month begins on ${formatUtcMinutes(until)}`;
    return new QuotaReachedError(message, left, (assets) => {
      if (onBreach === 'stop')
        return assets.map(({ key }) => fail(assetFailures.RENDER_QUOTA_REACHED, key, message));
      const untilMs = holdUntilMs(this.#clock.runNow() + endsAtMs - nowMs);
      this.#hold = { untilMs, until, for: `the render quota of the next month` };
      return [];
    });
  }
}
