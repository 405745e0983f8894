// Decisions of people about assets: notifies receivers once that assets wait, and makes shards read new decisions.
import { setHandler } from '@temporalio/workflow';
import { decisionWaitCause } from '../../src/plan/contract/canary.ts';
import type { RunCause } from '../../src/plan/run/run-cause.ts';
import { decide, shardAwaitsApproval } from '../messages.ts';
import type { RunShards } from './run-shards.ts';
import type { RunTotals } from './run-totals.ts';

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
