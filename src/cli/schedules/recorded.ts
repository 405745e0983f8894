// Records what a person does to a schedule that is there.
import type { Client, ScheduleDescription } from '@temporalio/client';
import { pipelineOfSchedule } from '../../compile/schedule.ts';
import type { RecordedAct } from '../../plan/audit-contract.ts';
import { recorded } from '../../temporal/audit/record-act.ts';
import { nameOfLive } from './facts.ts';

/** @throws NotRecordedError before anything was done; what `work` throws */
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
