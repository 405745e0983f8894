// Formats times of schedules.
import { zoneOffset } from '../../language/time-zone.ts';

/** Local time in a time zone: `2026-11-22 02:00:00 +01:00`. */
export function formatClockTime(iso: string, timezone: string): string {
  const instantMs = Date.parse(iso);
  const offset = zoneOffset(timezone)(instantMs);
  const wall = new Date(instantMs + offset).toISOString().slice(0, 19).replace('T', ' ');
  const minutes = Math.abs(Math.round(offset / 60_000));
  const two = (number: number) => String(number).padStart(2, '0');
  const ahead = `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
  return `${wall} ${offset < 0 ? '-' : '+'}${ahead}`;
}
