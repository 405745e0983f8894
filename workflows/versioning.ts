// Which build of the workers goes on with a workflow, where workers are versioned. Others know nothing of it.
import type { VersioningBehavior } from '@temporalio/common';
import { setWorkflowOptions } from '@temporalio/workflow';
import { allowance } from './allowance.ts';
import { assetBatch } from './asset-batch.ts';
import { eventIntake } from './event-intake.ts';
import { lookout } from './lookout.ts';
import { pipelineRun } from './pipeline-run.ts';
import { runNotice } from './run-notice.ts';

/** Each workflow type by its function's name. A run and its shards end on the build that began them, continuations too. */
export const behaviors = {
  pipelineRun: 'PINNED',
  assetBatch: 'PINNED',
  // These go on for ever, or wait for somebody for hours, and would keep old workers for as long.
  eventIntake: 'AUTO_UPGRADE',
  runNotice: 'AUTO_UPGRADE',
  allowance: 'AUTO_UPGRADE',
  lookout: 'AUTO_UPGRADE',
} as const satisfies Record<string, VersioningBehavior>;

export function declareBehaviors(): void {
  setWorkflowOptions({ versioningBehavior: behaviors.pipelineRun }, pipelineRun);
  setWorkflowOptions({ versioningBehavior: behaviors.assetBatch }, assetBatch);
  setWorkflowOptions({ versioningBehavior: behaviors.eventIntake }, eventIntake);
  setWorkflowOptions({ versioningBehavior: behaviors.runNotice }, runNotice);
  setWorkflowOptions({ versioningBehavior: behaviors.allowance }, allowance);
  setWorkflowOptions({ versioningBehavior: behaviors.lookout }, lookout);
}
