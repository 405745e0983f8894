// Ends the wait of assets whose gate is open or whose time is over. Reads the clock once for all assets of an activity
// call, and computes the hours in the gate's own time zone.

import type { NodeContext } from '../../engine/node-context.ts';
import { fail } from '../../failures/fail.ts';
import { formatDuration } from '../../language/duration.ts';
import { zoneOffset } from '../../plan/helpers/zone-offset.ts';
import type { AssetResult, StepAsset } from '../../plan/types.ts';
import { gateFailures } from './failures.ts';

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

export const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;
type Weekday = (typeof weekdays)[number];

interface OpeningHours {
  /** `HH:MM`, like `to`. If `to` is before `from`, the hours extend past midnight. */
  from: string;
  to: string;
  /** Days on which the hours start. */
  days: readonly Weekday[];
  /** IANA name of the time zone. */
  timezone: string;
}

const dayMs = 24 * 3_600_000;
const minuteMs = 60_000;

export function isWithinHours(hours: OpeningHours, instantMs: number): boolean {
  const localTimeMs = instantMs + zoneOffset(hours.timezone)(instantMs);
  const minute = Math.floor((localTimeMs % dayMs) / minuteMs);
  const [from, to] = [minuteOfDay(hours.from), minuteOfDay(hours.to)];
  const isOpeningDay = (beforeMs: number) =>
    hours.days.some((day) => day === weekdays[new Date(localTimeMs - beforeMs).getUTCDay()]);
  if (from < to) return from <= minute && minute < to && isOpeningDay(0);
  return minute >= from ? isOpeningDay(0) : minute < to && isOpeningDay(dayMs);
}

function minuteOfDay(time: string): number {
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  return hour * 60 + minute;
}
