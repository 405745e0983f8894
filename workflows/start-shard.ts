// Starts a shard of a run as its child.
import {
  ChildWorkflowCancellationType,
  ParentClosePolicy,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import { type ShardInput, workflowIds } from '../src/plan/contract.ts';
import { assetBatch } from './asset-batch.ts';

/** A cancelled run waits until its shards have cleaned up; a terminated one takes them along. */
export function startShard(input: Omit<ShardInput, 'parent'>) {
  const { plan, context, shard } = input;
  return startChild(assetBatch, {
    workflowId: workflowIds.shard(context.run, shard),
    args: [{ ...input, parent: workflowInfo().workflowId }],
    staticSummary: `${plan.pipeline} · shard ${shard + 1}`,
    cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
    parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
  });
}
