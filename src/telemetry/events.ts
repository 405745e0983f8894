// Event channels of workers and receivers. The channels of requests and transfers belong to the API client.
import { EventChannel } from '../api/events.ts';
import { type RunEvent, runEventAttribute } from '../plan/contract/run-events.ts';

/** A status poll of the platform, for all waits on one kind of resource. */
export interface PollEvent {
  poller: string;
  items: number;
  /** Number of items that a notification had announced. */
  wokenItems: number;
}

/** A poll found that a resource of the platform has finished. */
export interface CompletionEvent {
  poller: string;
  /** Upper bound of the delay, ms: time since a poll found the resource unfinished, or since its wait began. */
  withinMs: number;
  hasWakeUp: boolean;
}

/** A step attempt has finished. Attempts of a wait that found nothing are not reported. */
export interface StepEvent {
  pipeline: string;
  run: string;
  shard: number;
  node: string;
  step: string;
  type: string;
  attempt: number;
  assets: number;
  durationMs: number;
  /** Number of assets by outcome. Null if the attempt failed as a whole. */
  outcomes: Readonly<Record<'done' | 'pruned' | 'failed' | 'retry', number>> | null;
  /** Failure code of the attempt or of the first failed asset. */
  code?: string;
}

/** The outcomes of single assets, after a step or at their end. Lets people follow one asset. */
export interface AssetOutcomesEvent {
  pipeline: string;
  run: string;
  shard: number;
  /** The step that the outcomes belong to. If absent, the assets are finished. */
  step?: { node: string; id: string; type: string; attempt: number };
  assets: readonly AssetOutcome[];
}

export interface AssetOutcome {
  key: string;
  outcome: string;
  /** Time in the step, ms: since the asset entered a wait, or of the attempt. Absent at the asset's end. */
  durationMs?: number;
  /** Node and code of the failure of the asset. */
  node?: string;
  code?: string;
  /** Id of the asset's model on the platform, if there is one. */
  modelId?: string;
}

/** Assets were finalized: their results are in the records. */
export interface FinalizedEvent {
  pipeline: string;
  run: string;
  outcomes: Readonly<Record<string, number>>;
  /** Number of failed assets by code. Every code is in the failure registry, or OTHER. */
  codes: Readonly<Record<string, number>>;
}

/** An attempt to send a run notice has finished. */
export interface RunNoticeEvent {
  run: string;
  attempt: number;
  /** The receiver, and why it did not accept the notice. Null if it did. */
  problem: string | null;
  /** True if the notice is not sent again. */
  isFinal: boolean;
}

/** An open run, as Temporal lists it. */
export interface OpenRun {
  pipeline: string;
  /** `unknown`: the run has no search attributes, so it is not known whether it is paused. */
  state: 'working' | 'paused' | 'unknown';
  startedAtMs: number;
  /** Version that the run is pinned to, `deployment:build`. Null if not pinned. */
  pinnedTo: string | null;
}

export interface ScheduleStatus {
  schedule: string;
  /** When the last successful run of the schedule finished, epoch ms. Null if Temporal has no such run. */
  lastSuccessAtMs: number | null;
  /**
   * Longest time between the next starts, or from the last success to the start planned after it. Null if unknown or
   * paused.
   */
  periodMs: number | null;
}

/** The status of a task queue in Temporal at one moment. A null field could not be read. */
export interface QueueStatus {
  openRuns: readonly OpenRun[] | null;
  /** Number of workers by version, in the form of `pinnedTo`. The empty key counts unversioned workers. */
  workers: ReadonlyMap<string, number> | null;
  /** Number of open workflows whose workflow task fails at every attempt, as far as they were checked. */
  failing: number | null;
  schedules: readonly ScheduleStatus[] | null;
}

export const queueEvents = new EventChannel<QueueStatus>('queue');
export const pollEvents = new EventChannel<PollEvent>('poll');
export const completionEvents = new EventChannel<CompletionEvent>('completion');
export const stepEvents = new EventChannel<StepEvent>('step');
export const finalizedEvents = new EventChannel<FinalizedEvent>('finalized');
export const assetOutcomeEvents = new EventChannel<AssetOutcomesEvent>('asset-outcome');
export const runNoticeEvents = new EventChannel<RunNoticeEvent>('run-notice');
export const runEvents = new EventChannel<RunEvent>('run');
/** Verdicts of the receiver on notifications of the platform. */
export const notificationEvents = new EventChannel<string>('notification');
/** Numbers of wake-ups that the receiver has sent to a worker. */
export const wakeUpEvents = new EventChannel<{ wakeUps: number }>('wake-up');

/** Emits the run event that a workflow's log line carries. @returns false if the line carries none */
export function emitFromLogLine(attributes: Readonly<Record<string | symbol, unknown>>): boolean {
  const event = attributes[runEventAttribute];
  if (!isRunEvent(event)) return false;
  runEvents.emit(event);
  return true;
}

/** Only `kind` is checked, because only our own workflows set `runEventAttribute`. */
function isRunEvent(value: unknown): value is RunEvent {
  return typeof value === 'object' && value !== null && 'kind' in value;
}
