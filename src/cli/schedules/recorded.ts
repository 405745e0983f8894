// Writes actions on an existing schedule to the audit log.
import type { Client, ScheduleDescription } from '@temporalio/client';
import { pipelineOfSchedule } from '../../compile/schedule.ts';
import type { RecordedAct } from '../../plan/audit-contract.ts';
import { recorded } from '../../temporal/audit/record-act.ts';
import { nameOfLive } from './facts.ts';

/**
 * Does the work and writes it to the audit log of the schedule's task queue.
 * @throws NotRecordedError before the work starts, if the log cannot be written; whatever `work` throws
 */
export function recordedFor<T>(
  client: Client,
  live: ScheduleDescription,
  act: Pick<RecordedAct, 'what' | 'reason' | 'details'>,
  work: () => Promise<T>,
): Promise<T> {
  const name = nameOfLive(live);
  const of = { subject: 'schedule', name, pipeline: pipelineOfSchedule(name) } as const;
  return recorded({ client, taskQueue: live.action.taskQueue }, { ...act, ...of }, work);
}
