// Collects which assets of a run are waiting, for what and since when, and whether only people can advance the run.
import { approval } from '../../features/approvals/approval.ts';
import { findStepType } from '../../features/index.ts';
import {
  countRemainingAssets,
  decisionWaitCause,
  formatUtcMinutes,
} from '../../plan/contract/canary.ts';
import type { RunProgress } from '../../plan/contract/contract.ts';
import { formatCoarseTime } from '../../plan/helpers/format-coarse-time.ts';
import { formatCount, formatNumber } from '../../plan/helpers/format-count.ts';
import type { RunCause } from '../../plan/run/run-cause.ts';

export interface RunWait {
  step: string;
  assets: number;
  /** Start of the longest wait, as ISO 8601. */
  since: string;
  /** What must happen, such as `the platform to render`. Null if the step type does not define it. */
  for: string | null;
  /** Known end of the wait, ISO 8601. If absent, the wait ends when `for` has happened. */
  until?: string;
}

/** Lists the waits of a run, longest first. Empty if nothing is waiting or no worker answers. */
export function collectWaits(progress: Pick<RunProgress, 'waits'> | null): RunWait[] {
  return Object.entries(progress?.waits ?? {})
    .sort(([, a], [, b]) => a.sinceMs - b.sinceMs)
    .map(([step, { activity, assets, sinceMs, hold }]) => ({
      step,
      assets,
      since: new Date(sinceMs).toISOString(),
      for: hold?.for ?? findStepType(activity)?.waitsFor ?? null,
      ...(hold && { until: hold.until }),
    }));
}

export function isDecisionAwaited({ for: waitsFor }: Pick<RunWait, 'for'>): boolean {
  return waitsFor === approval.waitsFor;
}

/** Formats a wait, for example `3 are waiting for the platform to render, 4 min so far`. */
export function formatWait(wait: RunWait, nowMs: number): string {
  const { step, assets, since, for: waitsFor, until } = wait;
  const verb = assets === 1 ? 'is waiting' : 'are waiting';
  const time =
    until === undefined
      ? `${formatCoarseTime(nowMs - Date.parse(since))} so far`
      : `until ${formatUtcMinutes(until)}`;
  return `${formatNumber(assets)} ${verb} ${waitsFor === null ? `in ${step}` : `for ${waitsFor}`}, ${time}`;
}

/** Returns the decisions that a run waits for, as a cause. Returns null if anything else can advance the run. */
export function findAwaitedDecision(progress: RunProgress): RunCause | null {
  const { run, totals, waits = {}, canary, discovery, inFlight } = progress;
  if (discovery === null) return null;
  // At its limit of assets in flight, a run neither lists nor starts more until some of its assets are decided.
  const isFull = inFlight.heldBy === 'limit';
  if (!isFull && discovery.nextDiscoveryPage !== undefined) return null;
  const waitingAssets = Object.values(waits)
    .filter(({ activity }) => activity === approval.type)
    .reduce((sum, { assets }) => sum + assets, 0);
  // Assets that wait for the canary cannot start, so they do not advance the run.
  const blockedAssets = canary?.state === 'running' ? countRemainingAssets(discovery, canary) : 0;
  const unfinished =
    totals.total - totals.complete - totals.failed - totals.skipped - blockedAssets;
  const openAssets = isFull ? inFlight.assets : unfinished;
  if (waitingAssets === 0 || waitingAssets < openAssets) return null;
  const waitingText = formatCount(waitingAssets, 'asset');
  const [verb, possessive] = waitingAssets === 1 ? ['is', 'its'] : ['are', 'their'];
  const message = `${waitingText} ${verb} waiting for a decision on ${possessive} pictures`;
  return decisionWaitCause(run, `${message}, and nothing else is left to do`);
}
