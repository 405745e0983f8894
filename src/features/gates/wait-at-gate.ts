// Ends the wait of assets whose gate is open or whose time is over. Reads the clock once for all assets of an activity
// call.

import type { NodeContext } from '../../engine/node-context.ts';
import { fail } from '../../failures/fail.ts';
import { formatDuration } from '../../language/duration.ts';
import type { AssetResult, StepAsset } from '../../plan/types.ts';
import { gateFailures } from './failures.ts';
import { isWithinHours, type OpeningHours } from './opening-hours.ts';

export interface Gate {
  /** The gate does not open before this time, epoch ms. */
  notBeforeMs?: number | undefined;
  hours?: OpeningHours | undefined;
}

/** Formats a gate for plans and failures, such as `20:00 to 06:00 Europe/Berlin (fri, sat)`. */
export function formatGate({ notBeforeMs, hours }: Gate): string {
  const days = hours === undefined || hours.days.length === 7 ? '' : ` (${hours.days.join(', ')})`;
  return [
    ...(notBeforeMs === undefined ? [] : [`not before ${new Date(notBeforeMs).toISOString()}`]),
    ...(hours ? [`${hours.from} to ${hours.to} ${hours.timezone}${days}`] : []),
  ].join(', ');
}

export function waitAtGate(
  gate: Gate,
  assets: readonly StepAsset[],
  { runNow }: Pick<NodeContext, 'runNow'>,
): AssetResult[] {
  const nowMs = runNow();
  const { notBeforeMs = nowMs, hours } = gate;
  if (notBeforeMs <= nowMs && (hours === undefined || isWithinHours(hours, nowMs))) {
    return assets.map(({ key }) => ({ key, outcome: 'done' }));
  }
  return assets.flatMap(({ key, deadlineMs, enteredAtMs = nowMs }) => {
    if (deadlineMs === undefined || nowMs < deadlineMs) return [];
    const waited = formatDuration(deadlineMs - enteredAtMs);
    const message = `the gate (${formatGate(gate)}) did not open within ${waited}`;
    return fail(gateFailures.GATE_TIMEOUT, key, message);
  });
}
