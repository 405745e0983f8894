// Formats what `pause --all` has paused and what `resume --all` has resumed.
import type { PauseAllResult } from '../../app/general-pause/pause-all.ts';
import type { ResumeAllResult } from '../../app/general-pause/resume-all.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import { formatFirst } from '../../plan/helpers/format-first.ts';
import { formatTimestamp } from '../../plan/helpers/format-timestamp.ts';
import { withoutFalse } from '../../plan/helpers/without-false.ts';
import { describePause, resumeAllCommand } from '../../plan/run/general-pause.ts';
import type { Paint } from '../color.ts';
import { escapeForTerminal } from '../terminal-text.ts';

const maxNamesShown = 10;

export function formatPauseAll(result: PauseAllResult, paint: Paint): string {
  const { pause, isNew, runs, schedules, eventTriggers, workers } = escapeForTerminal(result);
  return withoutFalse([
    `${paint('yellow', describePause(pause))}.`,
    !isNew &&
      'This pause was already active, and its first reason still applies. Anything not yet paused is paused now.',
    `  runs       ${formatCount(runs, 'open run')} asked to pause; submitted work continues on the platform`,
    ...formatNames('schedules', schedules.held, ''),
    ...formatNames('', schedules.pausedBefore, 'already paused; will stay paused'),
    ...formatNames('events', eventTriggers, 'keep their events'),
    workers === 0 &&
      `${paint('yellow', 'No worker responds.')} Runs pause when a worker starts, before they submit anything.`,
    `Nothing is started until: ${resumeAllCommand(pause)}`,
  ]).join('\n');
}

export function formatResumeAll(result: ResumeAllResult, paint: Paint): string {
  const { ended, runs, schedules, eventTriggers, httpStarts, remaining } =
    escapeForTerminal(result);
  const dueSchedules = schedules.filter((schedule) => schedule.due > 0);
  return [
    ended === null
      ? 'No `pause --all` was active. Anything that an interrupted `pause --all` had paused is resumed.'
      : `${paint('green', 'Resumed')} what was paused since ${formatTimestamp(ended.at)} by ${ended.by}: ${ended.reason}`,
    `  runs       ${formatCount(runs, 'open run')} asked to continue, unless paused separately`,
    ...formatNames(
      'schedules',
      schedules.map(({ schedule }) => schedule),
      '',
    ),
    ...eventTriggers.map(
      ({ pipeline, objects, isHeld }) =>
        `  events     ${pipeline} ${isHeld ? 'still keeps its events' : 'starts runs for the events that it kept'}: ${formatCount(objects, 'object')}`,
    ),
    ...httpStarts.map(
      ({ pipeline, refused, isHeld }) =>
        `  HTTP       ${pipeline}: ${formatCount(refused, 'start')} refused; ${isHeld ? 'they are still refused' : 'callers can now retry them'}`,
    ),
    ...dueSchedules.flatMap((schedule) => [
      `${schedule.schedule}: ${formatCount(schedule.due, 'start')} ${schedule.due === 1 ? 'was' : 'were'} skipped while paused. To start ${schedule.due === 1 ? 'its run' : 'their runs'}:`,
      `  ${schedule.backfill ?? ''}`,
    ]),
    ...remaining.flatMap((pause) => [
      `${paint('yellow', 'Still paused.')} ${describePause(pause)}.`,
      `  ${resumeAllCommand(pause)}`,
    ]),
  ].join('\n');
}

function formatNames(term: string, names: readonly string[], note: string): string[] {
  if (names.length === 0) return [];
  const text = formatFirst(names, maxNamesShown);
  return [`  ${term.padEnd(9)}  ${text}${note === '' ? '' : ` (${note})`}`];
}
