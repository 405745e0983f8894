// Every query, signal and update of the workflows, with its payload.
import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type {
  Lease,
  LeaseRequest,
  LeaveRequest,
  WrongClock,
} from '../src/plan/allowance-contract.ts';
import { type FailedAct, type RecordedAct, type SignalNote } from '../src/plan/audit-contract.ts';
import {
  type IntakeEvent,
  type IntakePlan,
  type RunProgress,
  type ShardResult,
} from '../src/plan/contract.ts';
import { messages } from '../src/plan/messages.ts';
import { type RunCause } from '../src/plan/run-cause.ts';
import { type ShardProgress } from '../src/plan/totals.ts';
import { type Load } from '../src/plan/window.ts';

export const runProgress = defineQuery<RunProgress>(messages.progress);
export const shardProgress = defineQuery<ShardProgress>(messages.progress);

/**
 * Stop submitting; open work on the platform continues. A run sends its shards the time of its own clock, since
 * signals that are sent together may arrive in any order.
 */
export const pause = defineSignal<[sinceMs?: number, note?: SignalNote]>(messages.pause);
export const resume = defineSignal<[sinceMs?: number, note?: SignalNote]>(messages.resume);
/** Continue after the canary. */
export const approve = defineSignal<[note?: SignalNote]>(messages.approve);
/** From a run to its shards: start nothing new on the platform, and finish. */
export const stop = defineSignal(messages.stop);

/** From a shard to its run. */
export const shardReport = defineSignal<[ShardProgress]>(messages.shardReport);
export const shardCause = defineSignal<[number, RunCause]>(messages.shardCause);
/** True if a shard has only side steps left, which may take hours. */
export const shardParked = defineSignal<[number, boolean]>(messages.shardParked);

/** True if nearly all open assets of a shard wait for the platform. */
export const shardWaits = defineSignal<[shard: number, waits: boolean, load?: Load]>(
  messages.shardWaits,
);
/** From a shard whose run may not be its parent any more. */
export const shardEnded = defineSignal<[ShardResult, 'done' | 'cancelled']>(messages.shardEnded);

/** To an event trigger: platform events, and its plan if the file has changed. */
export const platformEvents = defineSignal<[IntakeEvent[]]>(messages.platformEvents);
export const intakePlan = defineSignal<[IntakePlan]>(messages.intakePlan);
/** Why the last attempt of an event trigger failed; empty if it succeeded. */
export const intakeTrouble = defineQuery<string>(messages.trouble);

/** To the allowance of a key: a worker asks for permits, or leaves. */
export const lease = defineUpdate<Lease, [LeaseRequest]>(messages.lease);
export const leave = defineUpdate<void, [LeaveRequest]>(messages.leave);
/** Workers whose machine has a wrong clock. */
export const wrongClocks = defineQuery<WrongClock[]>(messages.wrongClocks);

/** To the audit log: an action before it is performed, or that it failed. */
export const act = defineSignal<[RecordedAct | FailedAct]>(messages.act);
