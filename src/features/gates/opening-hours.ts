// Computes when a gate is open, in the gate's own time zone. Pure.
import { zoneOffset } from '../../plan/helpers/zone-offset.ts';

export const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;
export type Weekday = (typeof weekdays)[number];

export interface OpeningHours {
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
