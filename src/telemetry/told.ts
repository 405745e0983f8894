// What workers and receivers tell of their work, beside requests and transfers.
import { Telling } from '../api/told.ts';
import { newsAttribute, type RunNews } from '../plan/run-news.ts';

/** A look at the platform, for all that wait for things of its kind. */
export interface LookNews {
  board: string;
  items: number;
  /** Those that a notification told of. */
  hinted: number;
}

/** A thing of the platform was seen to be over. */
export interface NoticedNews {
  board: string;
  /** It was over no longer than this: so long before, a look had found it open, or nobody had asked for it. */
  withinMs: number;
  isHinted: boolean;
}

/** An attempt of a step that has ended; that a wait has found nothing is none. */
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
  /** Assets by what became of them; null: the attempt failed as a whole. */
  outcomes: Readonly<Record<'done' | 'pruned' | 'failed' | 'redo', number>> | null;
  /** Code of the failure, of the attempt or of the first asset. */
  code?: string;
}

/** What a step, or the end of its shard, made of single assets: for whoever follows one. */
export interface AssetsEvent {
  pipeline: string;
  run: string;
  shard: number;
  /** Absent: the asset has ended. */
  step?: { node: string; id: string; type: string; attempt: number };
  assets: readonly AssetOutcome[];
}

export interface AssetOutcome {
  key: string;
  outcome: string;
  /** Time in the step, of a wait since the asset came to it, of a call that of the attempt; absent: it has ended. */
  tookMs?: number;
  /** Node and code of its failure. */
  node?: string;
  code?: string;
  /** Id of its model on the platform, where it has one. */
  modelId?: string;
}

/** Results of assets have been written. */
export interface SettledNews {
  pipeline: string;
  run: string;
  outcomes: Readonly<Record<string, number>>;
  /** Failed assets by code; all codes are of the registry of failures, or OTHER. */
  codes: Readonly<Record<string, number>>;
}

/** An attempt to tell a receiver of a run's end has ended. */
export interface RunNoticeNews {
  run: string;
  attempt: number;
  ok: boolean;
}

/** A page of hints went to a worker. */
export interface HintsNews {
  hints: number;
}

/** An open run, as Temporal lists it. */
export interface OpenRun {
  pipeline: string;
  /** `unknown`: it was started without search attributes, so that nobody sees whether it is paused. */
  state: 'working' | 'paused' | 'unknown';
  startedAtMs: number;
  /** Version that alone goes on with it, `deployment:build`; null: any may. */
  pinnedTo: string | null;
}

export interface ScheduleStatus {
  schedule: string;
  /** Null where Temporal remembers no run of it that ended complete. */
  lastSuccessMs: number | null;
  /** Longest time between its next starts; null while it is paused. */
  periodMs: number | null;
}

/** What Temporal says of a task queue at one moment. Null: it could not be read. */
export interface QueueStatus {
  openRuns: readonly OpenRun[] | null;
  /** Workers by version, as `pinnedTo` names it; empty for those without one. */
  workers: ReadonlyMap<string, number> | null;
  /** Open workflows whose tasks fail at every attempt, as far as they were checked. */
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
/** A notification of the platform, by the receiver's verdict. */
export const toldReceived = new Telling<string>('received');
export const toldHints = new Telling<HintsNews>('hints');

/** Tells what a workflow's log line says. False where the line is no news. */
export function tellOfLine(attributes: Readonly<Record<string | symbol, unknown>>): boolean {
  const news = attributes[newsAttribute];
  if (!isRunNews(news)) return false;
  toldRuns.tell(news);
  return true;
}

/** Lines with this attribute are our own workflows', whose types hold. */
function isRunNews(value: unknown): value is RunNews {
  return typeof value === 'object' && value !== null && 'kind' in value;
}
