// Parses a time in the past: `yesterday`, `12h`, `2026-11-01`. Pure.
import { usageFailures } from '../../failures/usage.ts';
import { dayMs, parseDay } from '../../language/calendar/days.ts';
import { findDurationProblem, parseDurationMs } from '../../language/duration.ts';
import { badValueError } from '../renderline-error.ts';

/** Returns epoch ms. Days start at local midnight. Durations count back from now. @throws RenderlineError BAD_TIME */
export function parseSince(text: string, nowMs: number, option = '--since'): number {
  const word = text.trim().toLowerCase();
  const midnight = new Date(nowMs).setHours(0, 0, 0, 0);
  if (word === 'today') return midnight;
  // Subtracting 24 hours would be wrong, because a day on which the clock changes has 23 or 25 hours.
  if (word === 'yesterday') return new Date(midnight - dayMs / 2).setHours(0, 0, 0, 0);
  const durationMs = parseDurationMs(word);
  if (durationMs !== null) return nowMs - durationMs;
  const isMoment =
    parseDay(word.slice(0, 10)) !== null && /^(?:[t ]\d{2}:\d{2}.*)?$/.test(word.slice(10));
  const local = word.length === 10 ? `${word}T00:00` : text.trim();
  const instantMs = isMoment ? Date.parse(local) : Number.NaN;
  if (Number.isFinite(instantMs) && instantMs <= nowMs) return instantMs;
  const notTime = findDurationProblem(word, 'is not a time');
  const problem = Number.isFinite(instantMs) ? 'is in the future' : notTime;
  const message = `${option} ${JSON.stringify(text)} ${problem}.`;
  const example = `${option} yesterday, ${option} 12h or ${option} 2026-11-01`;
  throw badValueError(usageFailures.BAD_TIME, message, example);
}
