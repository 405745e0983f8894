// Rules that every wait shares: deadlines, and which results a wait returns at once or later in a batch.

import type { PollBudget } from '../api/rate-limit/budget.ts';
import { plainText } from '../api/responses/plain-text.ts';
import type { KnownFailure } from '../failures/define.ts';
import { fail } from '../failures/fail.ts';
import type { RunContext } from '../plan/run/run-context.ts';
import type { AssetResult, StepAsset } from '../plan/types.ts';
import type { NodeContext } from './node-context.ts';
import { basePollIntervalMs, exceedsAllowance, isHalfSpent } from './polling/poll-policy.ts';

const statusShown = 60;

/** Work that was submitted a moment ago is not worth a request; the next poll covers it. */
const firstPollDelayMs = 700;

export function hasJustEntered(asset: StepAsset, nowMs: number): boolean {
  const ageMs = nowMs - (asset.enteredAtMs ?? 0);
  return ageMs >= 0 && ageMs < firstPollDelayMs;
}

/**
 * A failure once the asset's absolute deadline has passed, else null.
 * @param status the last status from the platform, which may be an unknown one; undefined if there was none
 */
export function failIfOverdue(
  asset: StepAsset,
  nowMs: number,
  { failure, what, status }: { failure: KnownFailure; what: string; status: string | undefined },
): AssetResult | null {
  if (asset.deadlineMs === undefined || nowMs < asset.deadlineMs) return null;
  const waited = formatWait(asset.deadlineMs - (asset.enteredAtMs ?? asset.deadlineMs));
  const statusText =
    status === undefined
      ? 'the platform has reported no status'
      : `its status on the platform is ${plainText(status, statusShown)}`;
  const message = `${what} within ${waited}; ${statusText}; raise the node's timeout, or check it on the platform`;
  return fail(failure, asset.key, message);
}

function formatWait(ms: number): string {
  return ms < 60_000 ? `${Math.round(ms / 1_000)} s` : `${Math.round(ms / 60_000)} min`;
}

/** A result; times are of the polling clock. */
export interface ReadyResult {
  result: AssetResult;
  /** When the result was first seen. */
  sinceMs: number;
  /** When the asset started to wait. */
  enteredAtMs: number;
}

/** The two clocks of a wait: Temporal's for the run, and the monotonic one for polls. */
export type WaitTimes = Pick<NodeContext, 'runNow'> & { pollerContext: { now: () => number } };

/** Converts a time of the run to the polling clock. */
export function toPollClock(atMs: number, { runNow, pollerContext }: WaitTimes): number {
  return pollerContext.now() - (runNow() - atMs);
}

/** The polled result, or else the timeout failure, which does not wait for other results. */
export function toReadyResults(
  { enteredAtMs: enteredMs, deadlineMs }: StepAsset,
  result: AssetResult | null,
  timeout: AssetResult | null,
  { times, sinceMs = times.pollerContext.now() }: { times: WaitTimes; sinceMs: number | undefined },
): ReadyResult[] {
  const toPollTime = (atMs: number | undefined) =>
    atMs === undefined ? sinceMs : toPollClock(atMs, times);
  if (result) return [{ result, sinceMs, enteredAtMs: toPollTime(enteredMs) }];
  const overMs = toPollTime(deadlineMs);
  return timeout ? [{ result: timeout, sinceMs: overMs, enteredAtMs: overMs }] : [];
}

/** Results wait for others, so that the calls that follow are full. They wait for this share of the time that they took, */
const batchWaitShare = 0.08;
/** at most this long, and with a smaller share for work that took hours. */
const maxBatchWindowMs = 10_000;
const batchWaitShareOfHours = 0.005;
/** While the allowance is tight polls are rare, and calls that are not full take requests away from others. */
const tight = { batchWaitShare: 2, maxBatchWindowMs: 60_000 };
/**
 * Chooses the results that a wait returns now. Returns all if nothing else is waited for; otherwise as many as fill whole
 * calls, starting with those that have waited long enough. If more results than that have waited long enough, returns all.
 * @param isWokenUp true if wake-ups cause the polls
 */
export function takeReadyResults(
  found: readonly ReadyResult[],
  waitingFor: number,
  {
    wait,
    run,
    pollerContext,
  }: Pick<NodeContext, 'wait'> & {
    run: Pick<RunContext, 'assetCount'>;
    pollerContext: { now: () => number; client: { pollBudget: PollBudget } };
  },
  isWokenUp = false,
): AssetResult[] {
  const results = [...found].sort((a, b) => a.sinceMs - b.sinceMs).map(({ result }) => result);
  if (results.length === waitingFor || wait === null) return results;
  const nowMs = pollerContext.now();
  const { pollBudget } = pollerContext.client;
  const isTight = isHalfSpent(pollBudget) || exceedsAllowance(pollBudget, run);
  const rules = { isWokenUp, calls: wait.calls ?? 1, isTight };
  const due = new Set(
    found.filter((one) => hasWaitedForBatch(one, nowMs, rules)).map(({ result }) => result),
  );
  const fullCalls = results.length - (results.length % wait.batchAssets);
  if (due.size > fullCalls) return results;
  const dueFirst = results.filter((one) => due.has(one));
  return [...dueFirst, ...results.filter((one) => !due.has(one))].slice(0, fullCalls);
}

/** A batch that costs many calls, such as one per colorway, is worth a longer wait. Each call adds this share, */
const batchWaitShareOfCall = 0.33;
/** up to this one. It waits at least as long as an allowance of 600 requests a minute takes for a call and its polls. */
const maxBatchShare = 2;
const callMs = 800;

/** Wake-ups cause several polls a second; their results must still go into nearly full calls. */
const minBatchWindowMs = 1.25 * basePollIntervalMs;

function hasWaitedForBatch(
  { sinceMs, enteredAtMs }: ReadyResult,
  nowMs: number,
  { isWokenUp, calls, isTight }: { isWokenUp: boolean; calls: number; isTight: boolean },
): boolean {
  const tookMs = sinceMs - enteredAtMs;
  const usual = isTight ? tight : { batchWaitShare, maxBatchWindowMs };
  const share =
    calls > 1 ? Math.min(batchWaitShareOfCall * calls, maxBatchShare) : usual.batchWaitShare;
  const minMs = calls > 1 ? calls * callMs : 0;
  const maxMs = calls * (usual.maxBatchWindowMs + batchWaitShareOfHours * tookMs);
  const batchWaitMs = Math.max(Math.min(share * tookMs, maxMs), minMs);
  if (isWokenUp) return nowMs - sinceMs >= Math.max(batchWaitMs, minBatchWindowMs);
  // True if the end of the waiting time is nearer than the next poll.
  return nowMs - sinceMs + basePollIntervalMs / 2 >= batchWaitMs;
}
