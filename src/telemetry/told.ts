// Event channels of workers and receivers. Those of requests and transfers belong to the API client.
import { Telling } from '../api/told.ts';
import { newsAttribute, type RunNews } from '../plan/run-news.ts';

/** A status poll of the platform, for all waits on one kind of resource. */
export interface LookNews {
  board: string;
  items: number;
  /** Number of items that a notification had announced. */
  hinted: number;
}

/** A resource of the platform was found to be finished. */
export interface NoticedNews {
  board: string;
  /** Upper bound of the delay, ms: this long ago a poll found the resource unfinished, or nothing waited for it yet. */
  withinMs: number;
  isHinted: boolean;
}

/** A step attempt has finished. Attempts of a wait that found nothing are not reported. */
export interface StepNews {
  pipeline: string;
  run: string;
  shard: number;
  node: string;
  step: string;
  type: string;
  attempt: number;
  assets: number;
  tookMs: number;
  /** Number of assets by outcome; null: the attempt failed as a whole. */
  outcomes: Readonly<Record<'done' | 'pruned' | 'failed' | 'redo', number>> | null;
  /** Failure code of the attempt or of the first failed asset. */
  code?: string;
}

/** The outcomes of single assets after a step or at their end, for following one asset. */
export interface AssetsEvent {
  pipeline: string;
  run: string;
  shard: number;
  /** Absent: the assets are finished. */
  step?: { node: string; id: string; type: string; attempt: number };
  assets: readonly AssetOutcome[];
}

export interface AssetOutcome {
  key: string;
  outcome: string;
  /** Time in the step, ms: for a wait since the asset entered it, else the duration of the attempt. Absent at the asset's end. */
  tookMs?: number;
  /** Node and code of the asset's failure. */
  node?: string;
  code?: string;
  /** Id of the asset's model on the platform, if there is one. */
  modelId?: string;
}

/** Assets were finalized: their results are in the records. */
export interface SettledNews {
  pipeline: string;
  run: string;
  outcomes: Readonly<Record<string, number>>;
  /** Number of failed assets by code; every code is in the failure registry, or OTHER. */
  codes: Readonly<Record<string, number>>;
}

/** An attempt to send a run notice has finished. */
export interface RunNoticeNews {
  run: string;
  attempt: number;
  ok: boolean;
}

/** A page of wake-ups was sent to a worker. */
export interface HintsNews {
  hints: number;
}

/** An open run, as Temporal lists it. */
export interface OpenRun {
  pipeline: string;
  /** `unknown`: the run has no search attributes, so it is not known whether it is paused. */
  state: 'working' | 'paused' | 'unknown';
  startedAtMs: number;
  /** Version that the run is pinned to, `deployment:build`; null: not pinned. */
  pinnedTo: string | null;
}

export interface ScheduleStatus {
  schedule: string;
  /** Null if Temporal has no successful run of the schedule. */
  lastSuccessMs: number | null;
  /** Longest time between the next starts; null while the schedule is paused. */
  periodMs: number | null;
}

/** The status of a task queue in Temporal at one moment. A null field could not be read. */
export interface QueueStatus {
  openRuns: readonly OpenRun[] | null;
  /** Number of workers by version, in the form of `pinnedTo`; the empty key counts unversioned workers. */
  workers: ReadonlyMap<string, number> | null;
  /** Number of open workflows whose workflow task fails at every attempt, as far as they were checked. */
  failing: number | null;
  schedules: readonly ScheduleStatus[] | null;
}

export const toldQueue = new Telling<QueueStatus>('queue');
export const toldLooks = new Telling<LookNews>('look');
export const toldNoticed = new Telling<NoticedNews>('noticed');
export const toldSteps = new Telling<StepNews>('step');
export const toldSettled = new Telling<SettledNews>('settled');
export const assetOutcomes = new Telling<AssetsEvent>('asset-outcome');
export const toldRunNotices = new Telling<RunNoticeNews>('run-notice');
export const toldRuns = new Telling<RunNews>('run');
/** Verdicts of the receiver on notifications of the platform. */
export const toldReceived = new Telling<string>('received');
export const toldHints = new Telling<HintsNews>('hints');

/** Emits the run event that a workflow's log line carries. @returns false if the line carries none */
export function tellOfLine(attributes: Readonly<Record<string | symbol, unknown>>): boolean {
  const news = attributes[newsAttribute];
  if (!isRunNews(news)) return false;
  toldRuns.tell(news);
  return true;
}

/** Only our own workflows set this attribute, so its type can be trusted. */
function isRunNews(value: unknown): value is RunNews {
  return typeof value === 'object' && value !== null && 'kind' in value;
}
