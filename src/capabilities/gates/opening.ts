// Computes when a gate is open, in the gate's own time zone. Pure.
import { zoneOffset } from '../../language/time-zone.ts';

export const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;
export type Weekday = (typeof weekdays)[number];

export interface Hours {
  /** `HH:MM`, like `to`. If `to` is before `from`, the hours extend past midnight. */
  from: string;
  to: string;
  /** Days on which the hours start. */
  days: readonly Weekday[];
  /** IANA name. */
  timezone: string;
}

const dayMs = 24 * 3_600_000;
const minuteMs = 60_000;

export function isOpen(hours: Hours, instantMs: number): boolean {
  const wallMs = instantMs + zoneOffset(hours.timezone)(instantMs);
  const minute = Math.floor((wallMs % dayMs) / minuteMs);
  const [from, to] = [minuteOf(hours.from), minuteOf(hours.to)];
  const beganOn = (beforeMs: number) =>
    hours.days.some((day) => day === weekdays[new Date(wallMs - beforeMs).getUTCDay()]);
  if (from < to) return from <= minute && minute < to && beganOn(0);
  return minute >= from ? beganOn(0) : minute < to && beganOn(dayMs);
}

function minuteOf(time: string): number {
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  return hour * 60 + minute;
}
