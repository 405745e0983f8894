// Converts the tuning into worker options of the SDK.
import { ResourceBasedController, type WorkerOptions } from '@temporalio/worker';
import type { Tuning } from './tuning.ts';

type SlotOptions = Pick<
  WorkerOptions,
  | 'tuner'
  | 'maxConcurrentActivityTaskExecutions'
  | 'maxConcurrentWorkflowTaskExecutions'
  | 'workflowTaskPollerBehavior'
  | 'activityTaskPollerBehavior'
>;

export interface WorkerSlots {
  /** For the task queue of the runs and for other bulk work. */
  usual: SlotOptions;
  /** For queues with urgent work: fixed slots, which bulk work cannot use. */
  urgent: SlotOptions;
}

export function workerSlotsOf(tuning: Tuning): WorkerSlots {
  const { activities, urgentActivities, workflowTasks, targets } = tuning;
  const pollerOptions = (max: number) => {
    const behavior = createPollerBehavior(tuning.pollers, max);
    return { workflowTaskPollerBehavior: behavior, activityTaskPollerBehavior: behavior };
  };
  const urgent = {
    maxConcurrentActivityTaskExecutions: urgentActivities,
    ...pollerOptions(urgentActivities),
  };
  if (targets === null) {
    const usual = {
      maxConcurrentActivityTaskExecutions: activities,
      maxConcurrentWorkflowTaskExecutions: workflowTasks,
      ...pollerOptions(Math.min(activities, workflowTasks)),
    };
    return { usual, urgent };
  }
  // One controller for all queues of the process, so that they share the targets.
  const controller = ResourceBasedController.create({
    targetMemoryUsage: targets.memory,
    targetCpuUsage: targets.cpu,
  });
  const tuner = {
    controller,
    activityTaskSlotOptions: { minimumSlots: Math.min(5, activities), maximumSlots: activities },
    workflowTaskSlotOptions: { minimumSlots: 2, maximumSlots: Math.max(2, workflowTasks) },
  };
  return { usual: { tuner, ...pollerOptions(Math.min(activities, workflowTasks)) }, urgent };
}

/** Workflow tasks need at least two pollers, because one of them polls the worker's sticky queue. */
function createPollerBehavior(pollers: Tuning['pollers'], slots: number) {
  if (pollers === 'auto')
    return { type: 'autoscaling' as const, minimum: 2, initial: 5, maximum: 50 };
  return { type: 'simple-maximum' as const, maximum: Math.max(2, Math.min(pollers, slots)) };
}
