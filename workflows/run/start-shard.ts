// Starts a shard of a run as its child.
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  CancellationScope,
  ParentClosePolicy,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import { type ShardInput, workflowIds } from '../../src/plan/contract/contract.ts';
import { formatCount } from '../../src/plan/helpers/format-count.ts';
import { priorityOf } from '../../src/plan/run/priority.ts';
import { proxyEngineActivity } from '../activity-options.ts';
import { assetBatch } from '../shard/asset-batch.ts';

/**
 * Starts a shard. A cancelled run waits until its shards have cleaned up. A terminated run ends its shards too. An open
 * shard from before a reset is ended first. Its work is recorded, so nothing is done twice.
 * @param assets number of its assets, for the Temporal UI
 */
export async function startShard(input: Omit<ShardInput, 'parent'>, assets: number) {
  const { context, shard } = input;
  try {
    return await startChildFor(input, assets);
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    const endOrphanedChildren = proxyEngineActivity('endOrphanedChildren', context);
    await CancellationScope.nonCancellable(() =>
      endOrphanedChildren({ context, firstShard: shard, count: 1 }),
    );
    return startChildFor(input, assets);
  }
}

function startChildFor(input: Omit<ShardInput, 'parent'>, assets: number) {
  const { plan, context, shard, isOneOfMany } = input;
  // The start is not cancellable, because the run cancels its shards itself, by their ids.
  return CancellationScope.nonCancellable(() =>
    startChild(assetBatch, {
      workflowId: workflowIds.shard(context.run, shard),
      args: [{ ...input, parent: workflowInfo().workflowId }],
      staticSummary: `${plan.pipeline}: shard ${shard + 1}, ${formatCount(assets, 'asset')}`,
      // Continue-as-new closes an execution too, so a run with many shards abandons them on close. Workers end the
      // shards of a run that has ended.
      parentClosePolicy: isOneOfMany ? ParentClosePolicy.ABANDON : ParentClosePolicy.REQUEST_CANCEL,
      priority: priorityOf(context),
    }),
  );
}
