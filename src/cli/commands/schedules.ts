// `renderline schedules`: lists schedules and event triggers; pauses, resumes and triggers schedules.
import type { Command } from '@commander-js/extra-typings';
import { describeEventTriggers, formatEventTrigger } from '../../app/event-triggers/list.ts';
import {
  pauseSchedule,
  previewTrigger,
  resumeSchedule,
  type ScheduleControlResult,
  type TriggerPreview,
  triggerSchedule,
} from '../../app/schedules/control.ts';
import { type ListedSchedule, listSchedules } from '../../app/schedules/list.ts';
import { withTemporal } from '../../app/temporal-client.ts';
import { formatUnreadable, noteUnreadable } from '../../app/unreadable-note.ts';
import { exitCode } from '../../failures/exit-code.ts';
import type { Paint } from '../color.ts';
import { reasonOption } from '../params.ts';
import { formatClockTime } from '../schedules/format.ts';
import type { Session } from '../session.ts';
import { escapeForTerminal } from '../terminal-text.ts';

const nameArgument = ['<name>', 'name of the schedule: PIPELINE, or PIPELINE/NAME'] as const;

export function declareSchedules(command: Command, session: Session): void {
  command.action(
    session.action(async () =>
      withTemporal(session, async ({ client }) => {
        const schedules = await listSchedules(client);
        const eventTriggers = await describeEventTriggers(client);
        session.output.result({ schema: 'renderline/schedules/v1', schedules, eventTriggers }, () =>
          formatSchedules([
            ...escapeForTerminal(schedules).map((one) => formatSchedule(one, session.output.paint)),
            ...escapeForTerminal(eventTriggers).map((one) =>
              formatEventTrigger(one, session.output.paint),
            ),
          ]),
        );
        noteUnreadable(session, 'schedule', schedules);
        noteUnreadable(session, 'event trigger', eventTriggers);
        return exitCode.done;
      }),
    ),
  );
  command
    .command('pause')
    .description('start no more runs until the schedule is resumed; open runs continue')
    .argument(...nameArgument)
    .requiredOption('--reason <text>', 'reason, shown with the schedule')
    .action(
      session.action(async (name, { reason }) =>
        withTemporal(session, async ({ client }) => {
          return printControlResult(session, await pauseSchedule(client, name, reason));
        }),
      ),
    );
  command
    .command('resume')
    .description('start runs again')
    .argument(...nameArgument)
    .option('--reason <text>', 'reason, shown with the schedule')
    .action(
      session.action(async (name, { reason }) =>
        withTemporal(session, async ({ client }) => {
          return printControlResult(session, await resumeSchedule(client, name, reason));
        }),
      ),
    );
  command
    .command('trigger')
    .description('start a run now, as if it were due; works also while the schedule is paused')
    .argument(...nameArgument)
    .option('--dry-run', 'only show what it would start')
    .option(...reasonOption)
    .action(
      session.action(async (name, { dryRun, reason }) =>
        withTemporal(session, async ({ client }) => {
          if (!dryRun)
            return printControlResult(session, await triggerSchedule(client, name, reason));
          const preview = await previewTrigger(client, name);
          session.output.result(preview, () => formatTriggerPreview(escapeForTerminal(preview)));
          return exitCode.done;
        }),
      ),
    );
}

function formatTriggerPreview({ schedule, given, heldBy }: TriggerPreview): string {
  const { file } = given;
  return [
    heldBy === null
      ? `${schedule} would start a run now:`
      : `${schedule} would start nothing: ${heldBy} is still running, and overlap is ${given['overlap']}.`,
    ...Object.entries(given).map(([field, value]) => `  ${field}: ${value}`),
    ...(file === undefined
      ? []
      : [`Preview the work and cost of its run: renderline plan ${file}`]),
    'Nothing was started.',
  ].join('\n');
}

function printControlResult(session: Session, done: ScheduleControlResult): number {
  session.output.result(done, () => formatScheduleControl(escapeForTerminal(done)));
  return exitCode.done;
}

function formatScheduleControl({ schedule, action, paused, run }: ScheduleControlResult): string {
  if (action === 'pause') {
    return `${schedule} is paused: ${paused}\nResume it: renderline schedules resume ${schedule}`;
  }
  if (action === 'resume') return `${schedule} starts runs again.`;
  if (run === null) {
    return `${schedule} started nothing, because one of its runs is still running. See: renderline schedules`;
  }
  return `${run}\n  follow it:  renderline show ${run} --wait`;
}

function formatSchedules(parts: readonly string[][]): string {
  if (parts.length === 0) {
    return 'No schedules. Add `schedule:` to a pipeline file, then: renderline apply FILE';
  }
  return parts.map((part) => part.join('\n')).join('\n\n');
}

function formatSchedule(one: ListedSchedule, paint: Paint): string[] {
  const { schedule, file, times, timezone, overlap, paused, next, last, skipped } = one;
  const whose = one.unreadable === null ? (file ?? '') : formatUnreadable(one.unreadable);
  const lost = [
    ...(skipped.overlap > 0 ? [`${skipped.overlap} skipped, because a run was still running`] : []),
    ...(skipped.missed > 0 ? [`${skipped.missed} missed, because Temporal was down too long`] : []),
  ];
  return [
    `${paint('bold', schedule)}  ${times}  ${timezone}  overlap ${overlap}  ${paint('dim', whose)}`.trimEnd(),
    ...(paused === null ? [] : [`  ${paint('yellow', 'paused')}  ${paused}`]),
    ...next.map(
      (start, index) =>
        `  ${index === 0 ? 'next  ' : '      '}  ${formatClockTime(start, timezone)}`,
    ),
    ...last.map(
      ({ run, state }, index) => `  ${index === 0 ? 'last  ' : '      '}  ${run}  ${state}`,
    ),
    ...lost.map((text) => `  ${paint('yellow', 'lost')}    ${text}`),
  ];
}
