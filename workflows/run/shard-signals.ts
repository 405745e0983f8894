// Handles two groups of signals. With the first, shards report their work to their run. The second concerns people's
// decisions: receivers are notified once that assets wait, and shards read new decisions.
import { setHandler } from '@temporalio/workflow';
import { decisionWaitCause } from '../../src/plan/contract/canary.ts';
import type { RunCause } from '../../src/plan/run/run-cause.ts';
import {
  decide,
  shardAwaitsApproval,
  shardDetached,
  shardFinished,
  shardReport,
  shardWaits,
} from '../messages.ts';
import type { RunShards } from './run-shards.ts';
import type { RunTotals } from './run-totals.ts';
import type { RunWindow } from './run-window.ts';

/** Sets the handlers of the signals. @param onReport called after a progress report was taken */
export function handleShardSignals(
  shards: RunShards,
  window: RunWindow,
  onReport: () => void,
): void {
  setHandler(shardReport, (progress) => {
    shards.open.report(progress);
    window.updateLoad(progress.load);
    onReport();
  });
  setHandler(shardDetached, (shard, detached) => shards.open.setDetached(shard, detached));
  setHandler(shardWaits, (shard, waits, load) => {
    shards.open.setWaiting(shard, waits);
    window.updateLoad(load);
  });
  setHandler(shardFinished, (result, ending) => shards.handleFinished(result, ending));
}

/** Handles the signals about decisions. @param notify notifies receivers that the run waits for people */
export function handleDecisions(
  run: string,
  shards: RunShards,
  { carried }: RunTotals,
  notify: (cause: RunCause) => Promise<void>,
): void {
  setHandler(decide, (signal) => {
    if (signal) shards.recheck(signal.steps, signal.shards);
  });
  setHandler(shardAwaitsApproval, () => {
    if (carried.hasAsked) return;
    carried.hasAsked = true;
    shards.send(notify(decisionWaitCause(run)));
  });
}
