// `renderline schedules`: lists schedules and event triggers, and pauses, resumes and triggers schedules.
import type { Command } from '@commander-js/extra-typings';
import {
  pauseSchedule,
  previewTrigger,
  resumeSchedule,
  type ScheduleControlResult,
  triggerSchedule,
} from '../../../app/schedules/control.ts';
import { listSchedules } from '../../../app/schedules/list.ts';
import { noteUnreadable } from '../../../app/unreadable-payload.ts';
import { reword, sharedOptions } from '../../options.ts';
import {
  formatScheduleControl,
  formatSchedules,
  formatTriggerPreview,
} from '../../schedules/format.ts';
import type { Session } from '../../session.ts';

const scheduleReason = reword(sharedOptions.reason, 'reason, shown with the schedule');
const nameArgument = ['<name>', 'name of the schedule: PIPELINE, or PIPELINE/NAME'] as const;

export function declareSchedules(command: Command, session: Session): void {
  command.action(
    session.action(async () => {
      const list = await listSchedules(session);
      session.output.result(list, () => formatSchedules(list, session.output.paint));
      noteUnreadable(session.output, 'schedule', list.schedules);
      noteUnreadable(session.output, 'event trigger', list.eventTriggers);
    }),
  );
  command
    .command('pause')
    .description('start no more runs until the schedule is resumed; open runs continue')
    .argument(...nameArgument)
    .requiredOption(...reword(scheduleReason, (text) => `${text} (required)`))
    .action(
      session.action(async (name, { reason }) =>
        printControlResult(session, await pauseSchedule(session, name, reason)),
      ),
    );
  command
    .command('resume')
    .description('start runs again')
    .argument(...nameArgument)
    .option(...scheduleReason)
    .action(
      session.action(async (name, { reason }) =>
        printControlResult(session, await resumeSchedule(session, name, reason)),
      ),
    );
  command
    .command('trigger')
    .description('start a run now, as if it were due, even while the schedule is paused')
    .argument(...nameArgument)
    .option(...reword(sharedOptions.dryRun, 'only show what would be started'))
    .option(...sharedOptions.reason)
    .action(
      session.action(async (name, { dryRun, reason }) => {
        if (!dryRun)
          return printControlResult(session, await triggerSchedule(session, name, reason));
        const preview = await previewTrigger(session, name);
        session.output.result(preview, () => formatTriggerPreview(preview));
      }),
    );
}

function printControlResult(session: Session, result: ScheduleControlResult): void {
  session.output.result(result, () => formatScheduleControl(result));
}
