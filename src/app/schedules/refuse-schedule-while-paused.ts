// Refuses actions that would make a schedule start runs while everything is paused.
import type { Client, ScheduleDescription } from '@temporalio/client';
import { pipelineOfSchedule } from '../../compile/schedule.ts';
import { refuseWhilePaused } from '../refuse-while-paused.ts';
import { liveScheduleName } from './schedule-facts.ts';

/** @throws RenderlineError ALL_PAUSED */
export async function refuseScheduleWhilePaused(
  client: Client,
  live: ScheduleDescription,
): Promise<void> {
  await refuseWhilePaused(
    client,
    live.action.taskQueue,
    pipelineOfSchedule(liveScheduleName(live)),
  );
}
