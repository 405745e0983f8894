// Formats changes to schedules and event triggers for the terminal.

import type { ApplyPreview } from '../../app/apply/apply.ts';
import type { Change, ChangeKind, PipelineChange } from '../../app/apply/planned-change.ts';
import type { ScheduleChange } from '../../app/apply/schedule-changes.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import type { Paint } from '../color.ts';
import { labelLines } from '../lists.ts';
import { escapeForTerminal } from '../terminal-text.ts';
import { formatClockTime } from './format.ts';

const changeStyles: Record<
  ChangeKind,
  { sign: string; color: Parameters<Paint>[0]; done: string }
> = {
  create: { sign: '+', color: 'green', done: 'created' },
  update: { sign: '~', color: 'yellow', done: 'updated' },
  unchanged: { sign: '=', color: 'dim', done: 'unchanged' },
  remove: { sign: '-', color: 'red', done: 'removed' },
  undeclared: { sign: '?', color: 'yellow', done: 'in no applied file' },
};

/** Formats the differences between the files and Temporal, or says that no file starts runs automatically. */
export function formatDifference({ shape, timezones }: ApplyPreview, paint: Paint): string {
  const schedules = shape.changes.map((change) => {
    return { ...change, timezone: timezones.get(change.schedule) ?? 'UTC' };
  });
  const parts = [
    formatScheduleChanges(schedules, paint),
    formatNamedChanges('event-trigger', shape.eventTriggers, paint),
    formatNamedChanges('http-start', shape.httpStarts, paint),
  ];
  return (
    parts.filter((part) => part !== '').join('\n') || 'No file has `schedule:`, `on:` or `start:`.'
  );
}

/** Formats the changes to schedules, each with its next starts. */
export function formatScheduleChanges(
  changes: readonly (ScheduleChange & { timezone: string })[],
  paint: Paint,
): string {
  const lines = escapeForTerminal(changes).flatMap((entry) => {
    const { schedule, change, fields, paused, next, nextFrom, timezone } = entry;
    const isKept = change !== 'remove' && change !== 'undeclared';
    const hasEnded = isKept && next.length === 0 && paused === null;
    const label = nextFrom === 'computed' ? 'next, computed' : 'next';
    const starts = next.map((start) => formatClockTime(start, timezone));
    return formatChange(schedule, entry, paint, [
      ...(paused === null || fields.some(({ field }) => field === 'paused')
        ? []
        : [`    paused: ${paused}`]),
      ...labelLines(`    ${label}  `, starts),
      ...(hasEnded ? ['    next  none: the schedule has ended'] : []),
    ]);
  });
  return lines.join('\n');
}

function formatNamedChanges(
  kind: string,
  changes: readonly PipelineChange[],
  paint: Paint,
): string {
  return escapeForTerminal(changes)
    .flatMap((change) => formatChange(`${kind}/${change.pipeline}`, change, paint, []))
    .join('\n');
}

function formatChange(
  name: string,
  entry: Change,
  paint: Paint,
  details: readonly string[],
): string[] {
  const { change, file, fields, takenFrom } = entry;
  const { sign, color, done } = changeStyles[change];
  const label = change === 'create' || change === 'update' ? change : done;
  return [
    `${paint(color, `${sign} ${name}`)}  ${label}${file === null ? '' : `  ${paint('dim', file)}`}`,
    ...fields.map(({ field, was, is }) => `    ${field}: ${formatFieldChange(was, is)}`),
    ...(takenFrom === null ? [] : [`    taken from ${takenFrom}`]),
    ...details,
    ...(change === 'undeclared' ? ['    Remove it: renderline apply DIR --prune'] : []),
  ];
}

function formatFieldChange(was: string | null, is: string | null): string {
  if (was === null) return is ?? '';
  return `${was} -> ${is ?? 'removed'}`;
}

/** Formats what was changed: `3 schedules: 2 created, 1 unchanged`. */
export function formatChangeCounts(shape: ApplyPreview['shape']): string {
  const lines = [
    ...formatCountsByKind('schedule', shape.changes),
    ...formatCountsByKind('event trigger', shape.eventTriggers),
    ...formatCountsByKind('HTTP start', shape.httpStarts),
  ];
  return lines.length === 0 ? 'Nothing was changed.' : lines.join('\n');
}

function formatCountsByKind(unit: string, changes: readonly { change: ChangeKind }[]): string[] {
  if (changes.length === 0) return [];
  const parts = Object.entries(changeStyles).flatMap(([kind, { done }]) => {
    const number = changes.filter(({ change }) => change === kind).length;
    return number === 0 ? [] : [`${number} ${done}`];
  });
  return [`${formatCount(changes.length, unit)}: ${parts.join(', ')}`];
}
