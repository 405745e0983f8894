// Durations as people write them in YAML: 500ms, 30s, 15m, 1h30m, 2d.

export const durationPattern = /^(?:\d{1,9}(?:\.\d{1,3})?(?:ms|s|m|h|d))+$/;
export const durationForm = 'must be a duration such as 30s, 15m or 1h30m';

const unitMs: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A longer duration before or after the present may be outside the range of dates. */
const maxDurationMs = 36_500 * 86_400_000;
export const maxDurationForm = 'must be at most 36500d';

/** Parses a duration to milliseconds. Returns null if the text is not a duration, or one of more than 100 years. */
export function parseDurationMs(text: string): number | null {
  if (!durationPattern.test(text)) return null;
  let totalMs = 0;
  for (const part of text.matchAll(/([\d.]+)(ms|s|m|h|d)/g)) {
    totalMs += Number(part[1]) * (unitMs[part[2] ?? ''] ?? Number.NaN);
  }
  return totalMs > maxDurationMs ? null : Math.round(totalMs);
}

/** Returns why `parseDurationMs` returned null. @param notDuration the reason if the text is not a duration at all */
export function findDurationProblem(text: string, notDuration: string): string {
  return durationPattern.test(text) ? maxDurationForm : notDuration;
}

/**
 * Returns the milliseconds of a duration that was checked before.
 * @throws RangeError if the text is not a duration
 */
export function toDurationMs(text: string): number {
  const ms = parseDurationMs(text);
  if (ms === null) throw new RangeError(`"${text}" ${durationForm}`);
  return ms;
}

/** Formats a duration in its shortest form, to the millisecond: 5400000 is 1h30m. */
export function formatDuration(ms: number): string {
  let restMs = Math.round(ms);
  if (restMs === 0) return '0s';
  let text = '';
  for (const unit of ['d', 'h', 'm', 's', 'ms']) {
    const size = unitMs[unit] ?? 1;
    const count = Math.floor(restMs / size);
    if (count > 0) text += `${count}${unit}`;
    restMs -= count * size;
  }
  return text;
}
