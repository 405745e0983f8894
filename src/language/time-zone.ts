// Time zones by their IANA names, and their offsets.
import { didYouMean } from './suggest.ts';

/** Zones that every system has, although Intl does not list them. */
const universal = ['UTC', 'Etc/UTC', 'GMT'];
const ianaForm = /^[A-Z][A-Za-z0-9_+-]*(?:\/[A-Z][A-Za-z0-9_+-]*)*$/;

/** Why a name is no time zone, with a suggestion; null if it is one. */
export function refuseTimeZone(name: string): { hint: string | undefined } | null {
  const known = [...Intl.supportedValuesOf('timeZone'), ...universal];
  if (known.includes(name)) return null;
  // Older and newer names of the same zones. Intl ignores case and accepts offsets; the server does neither.
  const listed = known.find((zone) => zone.toLowerCase() === name.toLowerCase());
  if (listed === undefined && ianaForm.test(name) && isKnownToIntl(name)) return null;
  if (listed !== undefined) return { hint: `Did you mean "${listed}"?` };
  const near = didYouMean(name, known);
  const isGuess = near?.startsWith('Did') === true;
  return { hint: isGuess ? near : 'Write an IANA name such as Europe/Berlin or UTC.' };
}

function isKnownToIntl(timeZone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** Milliseconds by which the local time of a zone is ahead of UTC, by instant. */
export function zoneOffset(timeZone: string): (instantMs: number) => number {
  if (universal.includes(timeZone)) return () => 0;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'iso8601',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return (instantMs) => {
    const part: Record<string, number> = {};
    for (const { type, value } of format.formatToParts(instantMs)) part[type] = Number(value);
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part;
    const wallMs = Date.UTC(year, month - 1, day, hour, minute, second);
    return wallMs - Math.floor(instantMs / 1000) * 1000;
  };
}

/** The instant of a local time. If there are two, the one that Go's `time.Date` returns. */
export function instantOf(wallMs: number, offsetAt: (instantMs: number) => number): number {
  const guess = wallMs - offsetAt(wallMs);
  return wallMs - offsetAt(guess);
}
