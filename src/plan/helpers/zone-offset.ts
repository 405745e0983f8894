/** Zones that every system has, although Intl may not list them. */
export const universalZones: readonly string[] = ['UTC', 'Etc/UTC', 'GMT'];

/** Returns how far the local time of a zone is ahead of UTC at an instant, in milliseconds. */
export function createZoneOffset(timeZone: string): (instantMs: number) => number {
  if (universalZones.includes(timeZone)) return () => 0;
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

/** Returns the instant of a local time. If it occurs twice: the first west of UTC, the second east, as in Temporal. */
export function instantOf(wallMs: number, offsetAt: (instantMs: number) => number): number {
  const guess = wallMs - offsetAt(wallMs);
  return wallMs - offsetAt(guess);
}
