// What every wait does: polls its assets once, fails those that are overdue, and returns results at once or in a batch.

import type { PollBudget } from '../api/rate-limit/budget.ts';
import { plainText } from '../api/responses/plain-text.ts';
import type { KnownFailure } from '../failures/define.ts';
import { fail } from '../failures/fail.ts';
import type { RunContext } from '../plan/run/run-context.ts';
import type { AssetResult, StepAsset } from '../plan/types.ts';
import type { NodeContext } from './node-context.ts';
import { basePollIntervalMs, exceedsAllowance, isHalfSpent } from './polling/poll-policy.ts';
import type { StatusPoller } from './polling/status-poller.ts';

/** A step that waits for one item per asset. */
interface Wait<Item, Status> {
  poller: StatusPoller<Item, Status>;
  /** null: the asset waits for nothing. */
  itemOf: (asset: StepAsset) => Item | null;
  /** null while the asset has to wait. The status is undefined if it is not known yet. */
  resultOf: (asset: StepAsset, status: Status | undefined) => AssetResult | null;
  /** Failure of an asset whose deadline has passed, and what had not happened until then. */
  timeout: { failure: KnownFailure; what: string };
  /** Items may be finished as soon as their assets enter the step. */
  canEndAtOnce?: true;
  /** When the item seemed to be finished, before its status said so. */
  noticedAtMs?: (status: Status) => number | undefined;
}

/** Polls the items of a shard's assets once. Returns the results of assets that are finished or overdue. */
export async function awaitItems<Item, Status extends { status: string } | null>(
  assets: readonly StepAsset[],
  context: NodeContext,
  wait: Wait<Item, Status>,
): Promise<AssetResult[]> {
  const { poller, itemOf, resultOf, timeout, canEndAtOnce } = wait;
  const nowMs = context.runNow();
  const waiting = assets.map((asset) => ({ asset, item: itemOf(asset) }));
  const itemsOf = (some: typeof waiting) =>
    some.flatMap(({ item }) => (item === null ? [] : [item]));
  poller.track(itemsOf(waiting));
  const due = waiting.filter(
    ({ asset, item }) =>
      item === null || canEndAtOnce || !hasJustEntered(asset, nowMs) || poller.hasWakeUp(item),
  );
  const seen = await poller.poll(itemsOf(due), context);
  const found = due.flatMap(({ asset, item }) => {
    const polled = item === null ? undefined : seen.get(poller.idOf(item));
    const { status, sinceMs = Number.POSITIVE_INFINITY } = polled ?? {};
    const late = failIfOverdue(asset, nowMs, { ...timeout, status: status?.status });
    // Waiting for more results started when the end was noticed, not when it became certain.
    const noticedAtMs = status && wait.noticedAtMs?.(status);
    const seenAtMs = polled && Math.min(sinceMs, noticedAtMs ?? sinceMs);
    const result = resultOf(asset, status);
    return toReadyResults(asset, result, late, { times: context, sinceMs: seenAtMs });
  });
  return takeReadyResults(found, assets.length, context, poller.areWakeUpsReliable);
}

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
type WaitTimes = Pick<NodeContext, 'runNow'> & { pollerContext: { now: () => number } };

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
