// Days of the calendar, and when they start in a time zone.
import { createZoneOffset, instantOf } from '../../plan/helpers/zone-offset.ts';

/** Number of days since 1970-01-01. */
export type Day = number;

export const dayMs = 86_400_000;
/** Temporal's calendars support only these years. */
const years = { first: 2000, last: 2100 };

/** Parses `2026-12-24`. Returns null for another form, a date that does not exist, or a year outside `years`. */
export function parseDay(text: string): Day | null {
  const year = Number(text.slice(0, 4));
  const isKnown = year >= years.first && year <= years.last;
  return isKnown && isDateText(text) ? Date.parse(text) / dayMs : null;
}

/** True for `2026-12-24`. Returns false for another form, and for a date that does not exist. */
export function isDateText(text: string): boolean {
  const day = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) / dayMs : Number.NaN;
  // The text is compared with the parsed day, because some engines read 2027-02-29 as the first of March.
  return Number.isInteger(day) && formatDay(day) === text;
}

export function formatDay(day: Day): string {
  return new Date(day * dayMs).toISOString().slice(0, 10);
}

/** Returns the day of the week, where 0 is Sunday. */
export function weekdayOf(day: Day): number {
  return new Date(day * dayMs).getUTCDay();
}

/** Returns the day of an instant in a time zone. */
export function dayOf(instantMs: number, timezone: string): Day {
  return Math.floor((instantMs + createZoneOffset(timezone)(instantMs)) / dayMs);
}

/** Returns the instant when a day starts in a time zone. */
export function startOfDay(day: Day, timezone: string): number {
  return instantOf(day * dayMs, createZoneOffset(timezone));
}

/** Formats sorted days as single days and ranges: `2026-12-24..2026-12-26`. */
export function formatDays(days: readonly Day[]): string[] {
  const ranges: { first: Day; last: Day }[] = [];
  for (const day of days) {
    const lastRange = ranges.at(-1);
    if (lastRange !== undefined && day === lastRange.last + 1) lastRange.last = day;
    else ranges.push({ first: day, last: day });
  }
  return ranges.map(({ first, last }) =>
    first === last ? formatDay(first) : `${formatDay(first)}..${formatDay(last)}`,
  );
}
