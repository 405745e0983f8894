// Calendar months of a time zone.
import { createZoneOffset, instantOf } from '../../plan/helpers/zone-offset.ts';

interface CalendarMonth {
  /** Name of the month, such as `2026-11`. */
  name: string;
  endsAtMs: number;
}

/** Returns the month of an instant. @param timezone IANA name */
export function monthOf(instantMs: number, timezone: string): CalendarMonth {
  const offsetAt = createZoneOffset(timezone);
  const local = new Date(instantMs + offsetAt(instantMs));
  const nextMonth = Date.UTC(local.getUTCFullYear(), local.getUTCMonth() + 1, 1);
  return { name: local.toISOString().slice(0, 7), endsAtMs: instantOf(nextMonth, offsetAt) };
}
