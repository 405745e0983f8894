// Formats schedules, event triggers and their times for the terminal.

import type { BackfillPreview } from '../../app/schedules/backfill.ts';
import type { ScheduleControlResult, TriggerPreview } from '../../app/schedules/control.ts';
import { describeTrouble, type ListedEventTrigger } from '../../app/schedules/event-triggers.ts';
import type { ListedSchedule, SchedulesList } from '../../app/schedules/list.ts';
import { formatUnreadable } from '../../app/unreadable-payload.ts';
import { quoteForShell } from '../../plan/helpers/quote-for-shell.ts';
import { withoutFalse } from '../../plan/helpers/without-false.ts';
import { createZoneOffset } from '../../plan/helpers/zone-offset.ts';
import type { Paint } from '../color.ts';
import { labelLines } from '../lists.ts';
import { escapeForTerminal } from '../terminal-text.ts';

/** Formats a time in a time zone: `2026-11-22 02:00:00 +01:00`. */
export function formatClockTime(iso: string, timezone: string): string {
  const instantMs = Date.parse(iso);
  const offset = createZoneOffset(timezone)(instantMs);
  const wall = new Date(instantMs + offset).toISOString().slice(0, 19).replace('T', ' ');
  const minutes = Math.abs(Math.round(offset / 60_000));
  const two = (number: number) => String(number).padStart(2, '0');
  const ahead = `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
  return `${wall} ${offset < 0 ? '-' : '+'}${ahead}`;
}

export function formatSchedules(list: SchedulesList, paint: Paint): string {
  const { schedules, eventTriggers } = escapeForTerminal(list);
  const parts = [
    ...schedules.map((schedule) => formatSchedule(schedule, paint)),
    ...eventTriggers.map((trigger) => formatEventTrigger(trigger, paint)),
  ];
  if (parts.length === 0) {
    return 'No schedules. Add `schedule:` to a pipeline file, then: renderline apply FILE';
  }
  return parts.map((part) => part.join('\n')).join('\n\n');
}

function formatSchedule(entry: ListedSchedule, paint: Paint): string[] {
  const { schedule, file, times, timezone, overlap, paused, days, next, last, skipped } = entry;
  const source = entry.unreadable === null ? (file ?? '') : formatUnreadable(entry.unreadable);
  const lost = withoutFalse([
    skipped.overlap > 0 && `${skipped.overlap} skipped because a run was still open`,
    skipped.missed > 0 && `${skipped.missed} missed because Temporal was unavailable for too long`,
  ]);
  const starts = next.map((start) => formatClockTime(start, timezone));
  const lastRuns = last.map(({ run, state }) => `${run}  ${state}`);
  return [
    `${paint('bold', schedule)}  ${times}  ${timezone}  overlap ${overlap}  ${paint('dim', source)}`.trimEnd(),
    ...(paused === null ? [] : [`  ${paint('yellow', 'paused')}  ${paused}`]),
    ...Object.entries(days).map(([field, text]) => `  ${field.padEnd(6)}  ${text}`),
    ...(next.length === 0 && paused === null ? ['  next    none: the schedule has ended'] : []),
    ...labelLines('  next    ', starts),
    ...labelLines('  last    ', lastRuns),
    ...lost.map((text) => `  ${paint('yellow', 'lost')}    ${text}`),
    ...entry.warnings.map((text) => `  ${paint('yellow', 'warning')} ${text}`),
  ];
}

export function formatEventTrigger(trigger: ListedEventTrigger, paint: Paint): string[] {
  const { pipeline, event, trouble, unreadable } = trigger;
  return [
    `${paint('bold', pipeline)}  ${unreadable === null ? `on ${event}` : formatUnreadable(unreadable)}`,
    ...(trouble === null ? [] : [`  ${paint('yellow', 'failing')}  ${describeTrouble(trouble)}`]),
  ];
}

export function formatTriggerPreview(preview: TriggerPreview): string {
  const { schedule, given, heldBy } = escapeForTerminal(preview);
  const { file } = given;
  return withoutFalse([
    heldBy === null
      ? `${schedule} would start a run now:`
      : `${schedule} would start nothing: ${heldBy} is still running, and overlap is ${given['overlap']}.`,
    ...Object.entries(given).map(([field, value]) => `  ${field}: ${value}`),
    file !== undefined &&
      `Preview the work and cost of its run: renderline plan ${quoteForShell(file)}`,
    'Nothing was started.',
  ]).join('\n');
}

export function formatScheduleControl(result: ScheduleControlResult): string {
  const { schedule, action, paused, run, skipped } = escapeForTerminal(result);
  if (action === 'pause') {
    return `${schedule} is paused: ${paused}\nResume it: renderline schedules resume ${schedule}`;
  }
  if (action === 'resume') return `${schedule} starts runs again.`;
  if (skipped) {
    return `${schedule} started nothing, because one of its runs is still running. See: renderline schedules`;
  }
  if (run === null) {
    return `${schedule} was triggered, but Temporal does not report its run yet: the run waits for an open run to end, or Temporal is slow. Do not trigger it again. See: renderline schedules`;
  }
  return `${run}\n  follow it:  renderline show ${run} --wait`;
}

/** Formats the starts that `backfill` found, in the time zone of the schedule. */
export function formatPastStarts({ shape: { starts }, timezone }: BackfillPreview): string {
  if (starts.length === 0) return 'The schedule has no starts in this range.';
  return starts
    .map(
      ({ start, run, hasRun }) =>
        `${formatClockTime(start, timezone)}  ${run}${hasRun ? '  has run' : ''}`,
    )
    .join('\n');
}
