// Handles the signals with which shards report their work to their run.
import { setHandler } from '@temporalio/workflow';
import { shardDetached, shardFinished, shardReport, shardWaits } from '../messages.ts';
import type { RunShards } from './run-shards.ts';
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
