// Tells the SDK which build goes on with each workflow.
import { setWorkflowOptions } from '@temporalio/workflow';
import { behaviors } from '../src/plan/versioning.ts';
import { allowance } from './allowance.ts';
import { assetBatch } from './asset-batch.ts';
import { eventIntake } from './event-intake.ts';
import { lookout } from './lookout.ts';
import { pipelineRun } from './pipeline-run.ts';
import { runNotice } from './run-notice.ts';

/** Workers that are not versioned know nothing of it, and neither do histories. */
export function declareBehaviors(): void {
  setWorkflowOptions({ versioningBehavior: behaviors.pipelineRun }, pipelineRun);
  setWorkflowOptions({ versioningBehavior: behaviors.assetBatch }, assetBatch);
  setWorkflowOptions({ versioningBehavior: behaviors.eventIntake }, eventIntake);
  setWorkflowOptions({ versioningBehavior: behaviors.runNotice }, runNotice);
  setWorkflowOptions({ versioningBehavior: behaviors.allowance }, allowance);
  setWorkflowOptions({ versioningBehavior: behaviors.lookout }, lookout);
}
