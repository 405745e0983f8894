// The common part of all waits. Polls the assets once, fails overdue ones, and returns results at once or in batches.

import type { PollBudget } from '../api/rate-limit/budget.ts';
import { toPlainText } from '../api/responses/plain-text.ts';
import type { KnownFailure } from '../failures/define.ts';
import { fail } from '../failures/fail.ts';
import { formatDuration } from '../language/duration.ts';
import type { RunContext } from '../plan/run/run-context.ts';
import type { AssetResult, StepAsset } from '../plan/types.ts';
import type { NodeContext } from './node-context.ts';
import {
  basePollIntervalMs,
  isBudgetHalfSpent,
  willExceedAllowance,
} from './polling/poll-policy.ts';
import type { StatusPoller } from './polling/status-poller.ts';

/** A step that waits for one item per asset. */
interface Wait<Item, Status> {
  poller: StatusPoller<Item, Status>;
  /** The item that the asset waits for. Null if it waits for nothing. */
  itemOf: (asset: StepAsset) => Item | null;
  /** Returns the asset's result, or null while it must wait. `status` is undefined until the item has been polled. */
  resultOf: (asset: StepAsset, status: Status | undefined) => AssetResult | null;
  /** Failure of an asset whose deadline has passed. `what` says what has not happened, as the start of a sentence. */
  timeout: { failure: KnownFailure; what: string };
  /** Set if items may already be finished when their assets enter the step, so that the first poll is not delayed. */
  canEndAtOnce?: true;
  /** When the item seemed to be finished, before its status confirmed this. */
  noticedAtMs?: (status: Status) => number | undefined;
}

/** Creates the work of a wait: polls a shard's items once, and returns the results of finished and overdue assets. */
export function defineWait<Item, Status extends { status: string } | null>(
  waitOf: (context: NodeContext) => Wait<Item, Status>,
) {
  return (_config: unknown, assets: readonly StepAsset[], context: NodeContext) =>
    pollOnce(assets, context, waitOf(context));
}

async function pollOnce<Item, Status extends { status: string } | null>(
  assets: readonly StepAsset[],
  context: NodeContext,
  wait: Wait<Item, Status>,
): Promise<AssetResult[]> {
  const { poller, itemOf, resultOf, timeout, canEndAtOnce } = wait;
  const nowMs = context.runNow();
  const waitingAssets = assets.map((asset) => ({ asset, item: itemOf(asset) }));
  const itemsOf = (assetsToPoll: typeof waitingAssets) =>
    assetsToPoll.flatMap(({ item }) => (item === null ? [] : [item]));
  poller.track(itemsOf(waitingAssets));
  const dueAssets = waitingAssets.filter(
    ({ asset, item }) =>
      item === null || canEndAtOnce || !hasJustEntered(asset, nowMs) || poller.hasWakeUp(item),
  );
  const statuses = await poller.poll(itemsOf(dueAssets), context);
  const readyResults = dueAssets.flatMap(({ asset, item }) => {
    const pollResult = item === null ? undefined : statuses.get(poller.idOf(item));
    const { status, recordedAtMs = Number.POSITIVE_INFINITY } = pollResult ?? {};
    const late = failIfOverdue(asset, nowMs, { ...timeout, status: status?.status });
    // The batch window starts when the end of the work was first noticed, not when the status confirmed it.
    const noticedAtMs = status && wait.noticedAtMs?.(status);
    const seenAtMs = pollResult && Math.min(recordedAtMs, noticedAtMs ?? recordedAtMs);
    const result = resultOf(asset, status);
    return toReadyResults(asset, result, late, { clocks: context, firstSeenAtMs: seenAtMs });
  });
  return takeReadyResults(readyResults, assets.length, context, poller.areWakeUpsReliable);
}

const maxStatusLength = 60;

/** Minimum age of submitted work for a poll. Younger work is covered by the next poll. */
const firstPollDelayMs = 700;

export function hasJustEntered(asset: StepAsset, nowMs: number): boolean {
  const ageMs = nowMs - (asset.enteredAtMs ?? 0);
  return ageMs >= 0 && ageMs < firstPollDelayMs;
}

/**
 * Returns a failure if the asset's deadline has passed, or null otherwise.
 * @param status last status from the platform, which Renderline may not know. Undefined if there was none
 */
export function failIfOverdue(
  asset: StepAsset,
  nowMs: number,
  { failure, what, status }: { failure: KnownFailure; what: string; status: string | undefined },
): AssetResult | null {
  if (asset.deadlineMs === undefined || nowMs < asset.deadlineMs) return null;
  const timeout = formatDuration(asset.deadlineMs - (asset.enteredAtMs ?? asset.deadlineMs));
  const statusText =
    status === undefined
      ? 'the platform has reported no status'
      : `its status on the platform is ${toPlainText(status, maxStatusLength)}`;
  const message = `${what} within ${timeout}; ${statusText}; raise \`timeout\` of the node, or check the work on the platform`;
  return fail(failure, asset.key, message);
}

/** A result that a wait may return. Its times are those of the monotonic polling clock. */
export interface ReadyResult {
  result: AssetResult;
  /** When the result was first seen. */
  firstSeenAtMs: number;
  /** When the asset entered the wait. */
  enteredAtMs: number;
}

/** The two clocks of a wait: Temporal's clock for the run, and the monotonic clock for polls. */
type WaitClocks = Pick<NodeContext, 'runNow'> & { pollerContext: { monotonicNow: () => number } };

/** Converts a time of the run to the polling clock. */
export function toPollClock(atMs: number, { runNow, pollerContext }: WaitClocks): number {
  return pollerContext.monotonicNow() - (runNow() - atMs);
}

/** Returns the polled result, or the timeout failure if there is none. A timeout failure never waits for a batch. */
export function toReadyResults(
  { enteredAtMs: enteredAtByRunClockMs, deadlineMs }: StepAsset,
  result: AssetResult | null,
  timeout: AssetResult | null,
  {
    clocks,
    firstSeenAtMs = clocks.pollerContext.monotonicNow(),
  }: { clocks: WaitClocks; firstSeenAtMs: number | undefined },
): ReadyResult[] {
  const toPollTime = (atMs: number | undefined) =>
    atMs === undefined ? firstSeenAtMs : toPollClock(atMs, clocks);
  if (result) return [{ result, firstSeenAtMs, enteredAtMs: toPollTime(enteredAtByRunClockMs) }];
  const overAtMs = toPollTime(deadlineMs);
  return timeout ? [{ result: timeout, firstSeenAtMs: overAtMs, enteredAtMs: overAtMs }] : [];
}

/** Share of the work's duration for which results wait for others, so that later calls are full. */
const batchWaitShare = 0.08;
/** Maximum time for which results wait for others, plus `batchWaitShareOfHours` of the time that the work took. */
const maxBatchWindowMs = 10_000;
const batchWaitShareOfHours = 0.005;
/** Values for a tight allowance, under which polls are rare and calls that are not full waste scarce requests. */
const tight = { batchWaitShare: 2, maxBatchWindowMs: 60_000 };
/**
 * Chooses the results that a wait returns now. Returns all if no other asset is waiting, or if more results are due
 * than fill calls. Otherwise returns as many as fill whole calls, due ones first. A due result has waited long enough.
 * @param waitingFor number of assets of the wait, including those with results
 * @param isWokenUp true if wake-ups cause the polls
 */
export function takeReadyResults(
  readyResults: readonly ReadyResult[],
  waitingFor: number,
  {
    wait,
    run,
    pollerContext,
  }: Pick<NodeContext, 'wait'> & {
    run: Pick<RunContext, 'assetCount'>;
    pollerContext: { monotonicNow: () => number; client: { pollBudget: PollBudget } };
  },
  isWokenUp = false,
): AssetResult[] {
  const results = [...readyResults]
    .sort((a, b) => a.firstSeenAtMs - b.firstSeenAtMs)
    .map(({ result }) => result);
  if (results.length === waitingFor || wait === null) return results;
  const nowMs = pollerContext.monotonicNow();
  const { pollBudget } = pollerContext.client;
  const isTight = isBudgetHalfSpent(pollBudget) || willExceedAllowance(pollBudget, run);
  const rules = { isWokenUp, calls: wait.calls ?? 1, isTight };
  const dueResults = new Set(
    readyResults
      .filter((readyResult) => hasWaitedForBatch(readyResult, nowMs, rules))
      .map(({ result }) => result),
  );
  const fullCalls = results.length - (results.length % wait.batchAssets);
  if (dueResults.size > fullCalls) return results;
  const dueFirst = results.filter((result) => dueResults.has(result));
  return [...dueFirst, ...results.filter((result) => !dueResults.has(result))].slice(0, fullCalls);
}

/**
 * A batch that needs several calls, such as one per colorway, waits longer. Each call adds this share of the work's
 * time.
 */
const batchWaitShareOfCall = 0.33;
/** Upper limit for the sum of these shares in a batch. */
const maxBatchShare = 2;
/** Minimum wait per call: about the time that an allowance of 600 requests a minute needs for a call and its polls. */
const minWaitPerCallMs = 800;

/** Minimum wait if wake-ups cause several polls a second, so that the results of the polls still fill calls. */
const minBatchWindowMs = 1.25 * basePollIntervalMs;

function hasWaitedForBatch(
  { firstSeenAtMs, enteredAtMs }: ReadyResult,
  nowMs: number,
  { isWokenUp, calls, isTight }: { isWokenUp: boolean; calls: number; isTight: boolean },
): boolean {
  const durationMs = firstSeenAtMs - enteredAtMs;
  const defaults = isTight ? tight : { batchWaitShare, maxBatchWindowMs };
  const share =
    calls > 1 ? Math.min(batchWaitShareOfCall * calls, maxBatchShare) : defaults.batchWaitShare;
  const minMs = calls > 1 ? calls * minWaitPerCallMs : 0;
  const maxMs = calls * (defaults.maxBatchWindowMs + batchWaitShareOfHours * durationMs);
  const batchWaitMs = Math.max(Math.min(share * durationMs, maxMs), minMs);
  if (isWokenUp) return nowMs - firstSeenAtMs >= Math.max(batchWaitMs, minBatchWindowMs);
  // Rounds to the nearest poll, so that results are also due if their wait ends within half an interval.
  return nowMs - firstSeenAtMs + basePollIntervalMs / 2 >= batchWaitMs;
}
