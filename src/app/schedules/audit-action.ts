// Writes actions on an existing schedule to the audit log.
import type { Client, ScheduleDescription } from '@temporalio/client';
import { pipelineOfSchedule } from '../../compile/schedule.ts';
import type { RecordedAction } from '../../plan/contract/audit-contract.ts';
import { withAuditRecord } from '../../temporal/audit/record-act.ts';
import { liveScheduleName } from './schedule-facts.ts';

/**
 * Does the work and writes it to the audit log of the schedule's task queue.
 * @throws NotRecordedError before the work starts, if the log cannot be written; errors of `work` unchanged
 */
export function auditScheduleAction<T>(
  client: Client,
  live: ScheduleDescription,
  act: Pick<RecordedAction, 'what' | 'reason' | 'details'>,
  work: () => Promise<T>,
): Promise<T> {
  const name = liveScheduleName(live);
  const of = { subject: 'schedule', name, pipeline: pipelineOfSchedule(name) } as const;
  return withAuditRecord({ client, taskQueue: live.action.taskQueue }, { ...act, ...of }, work);
}
