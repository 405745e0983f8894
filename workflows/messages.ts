// Every query, signal and update of the workflows, with its payload.
import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type {
  ClockSkew,
  Lease,
  LeaseRequest,
  LeaveRequest,
} from '../src/plan/allowance/allowance-contract.ts';
import {
  type DecisionSignal,
  type FailedAction,
  type RecordedAction,
  type SignalNote,
} from '../src/plan/contract/audit-contract.ts';
import {
  type RunProgress,
  type ShardResult,
  type TriggerEvent,
  type TriggerPlan,
} from '../src/plan/contract/contract.ts';
import { messages } from '../src/plan/contract/messages.ts';
import type { RunCause } from '../src/plan/run/run-cause.ts';
import type { ShardProgress } from '../src/plan/shard/totals.ts';
import type { Load } from '../src/plan/shard/window.ts';

export const runProgress = defineQuery<RunProgress>(messages.progress);
export const shardProgress = defineQuery<ShardProgress>(messages.progress);

/**
 * Stops or starts submitting. Open work on the platform continues. Signals that are sent together may arrive in any
 * order, so a run sends its shards `sinceMs`, the time of its own clock.
 */
export const pause = defineSignal<[sinceMs?: number, note?: SignalNote]>(messages.pause);
export const resume = defineSignal<[sinceMs?: number, note?: SignalNote]>(messages.resume);
/** Sent to a run so that it continues after the canary. */
export const approve = defineSignal<[note?: SignalNote]>(messages.approve);
/** Sent to a run when a person has decided about assets that wait at approval nodes. */
export const decide = defineSignal<[signal?: DecisionSignal]>(messages.decide);
/** Sent from a run to its shards so that they now poll the assets that wait in these steps. */
export const recheck = defineSignal<[steps?: string[]]>(messages.recheck);
/** Sent from a run to its shards so that they start nothing new on the platform, and finish. */
export const stop = defineSignal(messages.stop);

/** Sent from a shard to its run with the shard's progress, or with a cause that pauses the whole run. */
export const shardReport = defineSignal<[ShardProgress]>(messages.shardReport);
export const shardBlocked = defineSignal<[number, RunCause]>(messages.shardBlocked);
/** Sent from a shard to report whether it has only side steps left, which may take hours. */
export const shardDetached = defineSignal<[number, boolean]>(messages.shardDetached);

/** Sent from a shard when its first assets wait for people. */
export const shardAwaitsApproval = defineSignal(messages.shardAwaitsApproval);
/** Sent from a shard to report whether nearly all of its open assets wait for the platform or for the end of a hold. */
export const shardWaits = defineSignal<[shard: number, waits: boolean, load?: Load]>(
  messages.shardWaits,
);
/** Sent from a shard of a run with many shards to report its result, because the run may no longer be its parent. */
export const shardFinished = defineSignal<[ShardResult, 'done' | 'cancelled']>(
  messages.shardFinished,
);

/** Sent to an event trigger with new platform events, or with the new plan after the file has changed. */
export const platformEvents = defineSignal<[TriggerEvent[]]>(messages.platformEvents);
export const updateTriggerPlan = defineSignal<[TriggerPlan]>(messages.updateTriggerPlan);
/** Asks why the last attempt of an event trigger failed. The answer is empty if it succeeded. */
export const triggerError = defineQuery<string>(messages.triggerError);

/** Sent to the allowance of an API key when a worker requests permits, or leaves. */
export const lease = defineUpdate<Lease, [LeaseRequest]>(messages.lease);
export const leave = defineUpdate<void, [LeaveRequest]>(messages.leave);
/** Asks the allowance which workers run on machines with a wrong clock. */
export const clockSkews = defineQuery<ClockSkew[]>(messages.clockSkews);

/** Sent to the audit log with an action before it is performed, or to report that the action failed. */
export const action = defineSignal<[RecordedAction | FailedAction]>(messages.action);
