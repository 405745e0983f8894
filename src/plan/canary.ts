// Causes and texts of a run that waits for approval after its first assets. Pure.
import type { Discovery } from './contract.ts';
import type { OwnCode } from './own-code.ts';
import { placeOf } from './place.ts';
import { picturesChanged, type RunCause } from './run-cause.ts';
import { toDoOf, untakenTotals } from './shares.ts';
import type { Totals } from './totals.ts';
import type { Canary, Plan } from './types.ts';

/** Code of the cause with which a run is paused while it waits for the approval of its canary. */
export const waitsForApproval = 'CANARY_WAITING' satisfies OwnCode;

/** True if the run waits for `renderline approve`, for any reason. */
export function asksApproval(cause: Pick<RunCause, 'code'> | null | undefined): boolean {
  return cause?.code === waitsForApproval || cause?.code === picturesChanged;
}

interface Asked {
  run: string;
  destination: Plan['destination'];
  canary: Canary;
  found: Discovery;
  /** ISO 8601. */
  until: string;
}

/** @param totals of the run so far: refused assets and the canary */
export function waitingCause(asked: Asked, totals: Totals): RunCause {
  const { run, canary, found, until } = asked;
  const place = placeOf(asked.destination);
  const look = place === null ? 'Look at what was made' : `Look at what was made in ${place}`;
  return {
    code: waitsForApproval,
    message: `${share(asked)} are done: ${madeWords(canaryTotals(found, totals, canary))}; the others wait for approval until ${clock(until)}`,
    fix: `${look}; then \`renderline approve ${run}\`, or \`renderline cancel ${run}\``,
    kind: 'later',
  };
}

/** Why a run ended that nobody approved. */
export function expiredCause(asked: Asked): RunCause {
  return {
    code: 'CANARY_NOT_APPROVED' satisfies OwnCode,
    message: `${share(asked)} are done, and nobody approved the others by ${clock(asked.until)}`,
    fix: 'Run the pipeline again: completed assets are skipped',
    kind: 'never',
  };
}

/** Counts of the canary's own assets. */
export function canaryTotals(
  found: Discovery,
  totals: Totals,
  { assets }: Pick<Canary, 'assets'>,
): Totals {
  const untaken = untakenTotals(found);
  return {
    total: assets,
    complete: totals.complete,
    failed: totals.failed - untaken.failed,
    skipped: totals.skipped - untaken.skipped,
  };
}

/** Assets that wait for the approval. */
export function assetsLeft(found: Discovery, { assets }: Pick<Canary, 'assets'>): number {
  return toDoOf(found) - assets;
}

function share({ canary, found }: Asked): string {
  return `the first ${canary.assets} of ${toDoOf(found)} assets`;
}

/** Assets without an outcome are complete on the platform and only wait for receivers of notices. */
export function madeWords({ complete, failed, skipped, total }: Totals): string {
  const told = total - complete - failed - skipped;
  return [
    `${complete} complete`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
    ...(told > 0 ? [`${told} waiting for notification`] : []),
  ].join(', ');
}

/** An ISO 8601 time in UTC, to the minute. */
export function clock(iso: string): string {
  return `${iso.slice(0, 16).replace('T', ' ')} UTC`;
}
