// Tells the SDK which build continues each workflow.
import { setWorkflowOptions } from '@temporalio/workflow';
import { behaviors, versionedMark } from '../src/plan/versioning.ts';
import { allowance } from './allowance.ts';
import { assetBatch } from './asset-batch.ts';
import { auditLog } from './audit-log.ts';
import { eventIntake } from './event-intake.ts';
import { lookout } from './lookout.ts';
import { pipelineRun } from './pipeline-run.ts';
import { runNotice } from './run-notice.ts';

/** The behavior is not in histories. The server refuses behaviors from an unversioned worker, which therefore sets none. */
export function declareBehaviors(): void {
  if (Reflect.get(globalThis, versionedMark) !== true) return;
  setWorkflowOptions({ versioningBehavior: behaviors.pipelineRun }, pipelineRun);
  setWorkflowOptions({ versioningBehavior: behaviors.assetBatch }, assetBatch);
  setWorkflowOptions({ versioningBehavior: behaviors.eventIntake }, eventIntake);
  setWorkflowOptions({ versioningBehavior: behaviors.runNotice }, runNotice);
  setWorkflowOptions({ versioningBehavior: behaviors.allowance }, allowance);
  setWorkflowOptions({ versioningBehavior: behaviors.lookout }, lookout);
  setWorkflowOptions({ versioningBehavior: behaviors.auditLog }, auditLog);
}
