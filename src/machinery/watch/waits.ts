// Rules that every wait shares: deadlines, and which results a wait returns at once or later in a batch.
import { plainText } from '../../api/plain-text.ts';
import type { Pace } from '../../api/urgent.ts';
import type { KnownFailure } from '../../failures/define.ts';
import { fail } from '../../failures/fail.ts';
import type { RunContext } from '../../plan/run-context.ts';
import type { AssetResult, StepAsset } from '../../plan/types.ts';
import type { NodeContext } from '../node-context.ts';
import { baseTickMs, isHalfSpent, needsMore } from './ticks.ts';

const statusShown = 60;

/** Work that was submitted a moment ago is not worth a request; the next poll covers it. */
const settleInMs = 700;

export function justEntered(asset: StepAsset, nowMs: number): boolean {
  const ageMs = nowMs - (asset.enteredAtMs ?? 0);
  return ageMs >= 0 && ageMs < settleInMs;
}

/**
 * A failure once the asset's absolute deadline has passed, else null.
 * @param status the last status from the platform, which may be an unknown one; undefined if there was none
 */
export function overdue(
  asset: StepAsset,
  nowMs: number,
  { failure, what, status }: { failure: KnownFailure; what: string; status: string | undefined },
): AssetResult | null {
  if (asset.deadlineMs === undefined || nowMs < asset.deadlineMs) return null;
  const waited = durationText(asset.deadlineMs - (asset.enteredAtMs ?? asset.deadlineMs));
  const told =
    status === undefined
      ? 'the platform has reported no status'
      : `its status on the platform is ${plainText(status, statusShown)}`;
  const message = `${what} within ${waited}; ${told}; raise the node's timeout, or check it on the platform`;
  return fail(failure, asset.key, message);
}

function durationText(ms: number): string {
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
export type WaitTimes = Pick<NodeContext, 'runNow'> & { lookout: { now: () => number } };

/** Converts a time of the run to the polling clock. */
export function onLooksClock(atMs: number, { runNow, lookout }: WaitTimes): number {
  return lookout.now() - (runNow() - atMs);
}

/** The polled result, or else the timeout failure, which does not wait for other results. */
export function readyResults(
  { enteredAtMs: enteredMs, deadlineMs }: StepAsset,
  result: AssetResult | null,
  late: AssetResult | null,
  { times, sinceMs = times.lookout.now() }: { times: WaitTimes; sinceMs: number | undefined },
): ReadyResult[] {
  const onLooks = (atMs: number | undefined) =>
    atMs === undefined ? sinceMs : onLooksClock(atMs, times);
  if (result) return [{ result, sinceMs, enteredAtMs: onLooks(enteredMs) }];
  const overMs = onLooks(deadlineMs);
  return late ? [{ result: late, sinceMs: overMs, enteredAtMs: overMs }] : [];
}

/** Results wait for others, so that the calls that follow are full. They wait for this share of the time that they took, */
const gatherShare = 0.08;
/** at most this long, and with a smaller share for work that took hours. */
const gatherAtMostMs = 10_000;
const gatherShareOfHours = 0.005;
/** While the allowance is tight polls are rare, and calls that are not full take requests away from others. */
const tight = { gatherShare: 2, gatherAtMostMs: 60_000 };
/**
 * Chooses the results that a wait returns now. Returns all if nothing else is waited for; otherwise as many as fill whole
 * calls, starting with those that have waited long enough. If more results than that have waited long enough, returns all.
 * @param hinted true if wake-ups cause the polls
 */
export function handOn(
  found: readonly ReadyResult[],
  waitingFor: number,
  {
    wait,
    run,
    lookout,
  }: Pick<NodeContext, 'wait'> & {
    run: Pick<RunContext, 'toDo'>;
    lookout: { now: () => number; client: { pace: Pace } };
  },
  hinted = false,
): AssetResult[] {
  const results = [...found].sort((a, b) => a.sinceMs - b.sinceMs).map(({ result }) => result);
  if (results.length === waitingFor || wait === null) return results;
  const nowMs = lookout.now();
  const { pace } = lookout.client;
  const isTight = isHalfSpent(pace) || needsMore(pace, run);
  const rules = { hinted, calls: wait.calls ?? 1, isTight };
  const due = new Set(
    found.filter((one) => hasGathered(one, nowMs, rules)).map(({ result }) => result),
  );
  const inCalls = results.length - (results.length % wait.gather);
  if (due.size > inCalls) return results;
  const dueFirst = results.filter((one) => due.has(one));
  return [...dueFirst, ...results.filter((one) => !due.has(one))].slice(0, inCalls);
}

/** A batch that costs many calls, such as one per colorway, is worth a longer wait. Each call adds this share, */
const gatherShareOfCall = 0.33;
/** up to this one. It waits at least as long as an allowance of 600 requests a minute takes for a call and its polls. */
const gatherShareAtMost = 2;
const aCallMs = 800;

/** Wake-ups cause several polls a second; their results must still go into nearly full calls. */
const gatherAtLeastMs = 1.25 * baseTickMs;

function hasGathered(
  { sinceMs, enteredAtMs }: ReadyResult,
  nowMs: number,
  { hinted, calls, isTight }: { hinted: boolean; calls: number; isTight: boolean },
): boolean {
  const tookMs = sinceMs - enteredAtMs;
  const usual = isTight ? tight : { gatherShare, gatherAtMostMs };
  const share =
    calls > 1 ? Math.min(gatherShareOfCall * calls, gatherShareAtMost) : usual.gatherShare;
  const atLeastMs = calls > 1 ? calls * aCallMs : 0;
  const atMostMs = calls * (usual.gatherAtMostMs + gatherShareOfHours * tookMs);
  const gatherMs = Math.max(Math.min(share * tookMs, atMostMs), atLeastMs);
  if (hinted) return nowMs - sinceMs >= Math.max(gatherMs, gatherAtLeastMs);
  // True if the end of the waiting time is nearer than the next poll.
  return nowMs - sinceMs + baseTickMs / 2 >= gatherMs;
}
