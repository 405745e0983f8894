// Entry of the workflow bundle: all workflow types, and their versioning behavior.
import { setWorkflowOptions } from '@temporalio/workflow';
import { behaviors, versionedFlag } from '../src/plan/contract/versioning.ts';
import { allowance } from './allowance.ts';
import { auditLog } from './audit-log.ts';
import { eventTrigger } from './event-trigger.ts';
import { pollLeader } from './poll-leader.ts';
import { pipelineRun } from './run/pipeline-run.ts';
import { runNotice } from './run-notice.ts';
import { assetBatch } from './shard/asset-batch.ts';

export { allowance, assetBatch, auditLog, eventTrigger, pipelineRun, pollLeader, runNotice };

// Histories do not contain the behavior. An unversioned worker sets no behavior, because the server would refuse it.
if (Reflect.get(globalThis, versionedFlag) === true) {
  setWorkflowOptions({ versioningBehavior: behaviors.pipelineRun }, pipelineRun);
  setWorkflowOptions({ versioningBehavior: behaviors.assetBatch }, assetBatch);
  setWorkflowOptions({ versioningBehavior: behaviors.eventTrigger }, eventTrigger);
  setWorkflowOptions({ versioningBehavior: behaviors.runNotice }, runNotice);
  setWorkflowOptions({ versioningBehavior: behaviors.allowance }, allowance);
  setWorkflowOptions({ versioningBehavior: behaviors.pollLeader }, pollLeader);
  setWorkflowOptions({ versioningBehavior: behaviors.auditLog }, auditLog);
}
