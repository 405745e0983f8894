// Causes and messages of a run that waits for approval, after its first assets or of each asset. Pure.

import { locationOf } from '../run/location.ts';
import { picturesChangedCode, type RunCause } from '../run/run-cause.ts';
import type { WorkflowFailureCode } from '../run/workflow-failure-codes.ts';
import { countUnfinished, type Totals } from '../shard/totals.ts';
import type { Canary, ConnectorSpec } from '../types.ts';
import type { Discovery } from './contract.ts';
import { countToProcess, unshardedTotalsOf } from './sharding.ts';

/** Code of the cause that pauses a run while it waits for the approval of its canary. */
export const canaryWaitCode = 'CANARY_WAITING' satisfies WorkflowFailureCode;

/** Code of the cause that tells receivers and commands that assets wait for decisions. */
export const decisionWaitCode = 'APPROVAL_WAITING' satisfies WorkflowFailureCode;

/** Returns the cause that tells people that assets wait. @param message what waits, without a full stop */
export function decisionWaitCause(
  run: string,
  message = 'assets are waiting for a decision on their pictures',
): RunCause {
  return {
    code: decisionWaitCode,
    message,
    fix: `Review them with \`renderline approve ${run} --dry-run\` or \`renderline ui\`; then run \`renderline approve ${run}\`, with \`--reject\` for the assets that must not be delivered`,
    kind: 'later',
  };
}

/** True if the run is paused until `renderline approve`, for any reason. */
export function isApprovalCause(cause: Pick<RunCause, 'code'> | null | undefined): boolean {
  return cause?.code === canaryWaitCode || cause?.code === picturesChangedCode;
}

interface CanaryApproval {
  run: string;
  /** Locations that the run's exports deliver to. Empty without an export. */
  destinations: readonly ConnectorSpec[];
  canary: Canary;
  discovery: Discovery;
  /** Deadline of the approval, ISO 8601. */
  until: string;
}

/** Returns the cause of the wait for the canary's approval. @param totals totals so far, with refused assets */
export function canaryWaitCause(approval: CanaryApproval, totals: Totals): RunCause {
  const { run, canary, discovery, until } = approval;
  const locations = approval.destinations.map(locationOf).join(' and ');
  const inspectAdvice =
    locations === '' ? 'Check the results' : `Check the results in ${locations}`;
  return {
    code: canaryWaitCode,
    message: `${formatDone(approval)}: ${formatOutcomes(computeCanaryTotals(discovery, totals, canary))}; the others are waiting for approval until ${formatUtcMinutes(until)}`,
    fix: `${inspectAdvice}; then run \`renderline approve ${run}\` or \`renderline cancel ${run}\``,
    kind: 'later',
  };
}

/** Returns the cause of a run that ended because nobody approved its canary in time. */
export function canaryExpiredCause(approval: CanaryApproval): RunCause {
  return {
    code: 'CANARY_NOT_APPROVED' satisfies WorkflowFailureCode,
    message: `${formatDone(approval)}, and nobody approved the others by ${formatUtcMinutes(approval.until)}`,
    fix: 'Run the pipeline again: completed assets are skipped',
    kind: 'never',
  };
}

/** Computes the part of the run's totals that the canary's assets contribute. */
export function computeCanaryTotals(
  discovery: Discovery,
  totals: Totals,
  { assets }: Pick<Canary, 'assets'>,
): Totals {
  const unsharded = unshardedTotalsOf(discovery);
  return {
    total: assets,
    complete: totals.complete,
    failed: totals.failed - unsharded.failed,
    skipped: totals.skipped - unsharded.skipped,
  };
}

/** Counts the assets that wait for the approval of the canary. */
export function countRemainingAssets(
  discovery: Discovery,
  { assets }: Pick<Canary, 'assets'>,
): number {
  return countToProcess(discovery) - assets;
}

function formatDone({ canary: { assets }, discovery }: CanaryApproval): string {
  const total = countToProcess(discovery);
  return assets === 1
    ? `the first of ${total} assets is done`
    : `the first ${assets} of ${total} assets are done`;
}

/** Formats counts. Assets without an outcome are `waiting for notification`: only side steps are left for them. */
export function formatOutcomes(totals: Totals): string {
  const { complete, failed, skipped } = totals;
  const unfinished = countUnfinished(totals);
  return [
    `${complete} complete`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
    ...(unfinished > 0 ? [`${unfinished} waiting for notification`] : []),
  ].join(', ');
}

/** Formats an ISO 8601 time in UTC, to the minute. */
export function formatUtcMinutes(iso: string): string {
  return `${iso.slice(0, 16).replace('T', ' ')} UTC`;
}
