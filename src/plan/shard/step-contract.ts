// Inputs and results of a shard's activities. Assets are indexes into the shard's page of the run assets. Platform ids,
// outputs, files and messages are in pages of asset updates in the records store. Inputs and results therefore stay
// small, however long names are and however many outputs an asset has.
import type { RunCause } from '../run/run-cause.ts';
import type { RunContext } from '../run/run-context.ts';
import type { Step } from '../types.ts';
import type { Load } from './window.ts';

export interface ShardAddress {
  context: RunContext;
  shard: number;
}

export interface OpenShardInput extends ShardAddress {
  /** Age from which the shard takes over assets from runs of other Temporal servers. Absent means never. */
  takeOverMs?: number;
}

/** The result of opening a shard: the assets that this run has claimed, and who holds the other assets. */
export interface OpenedShard {
  assets: number[];
  /** Assets that the run had delivered before its shard was reset. */
  complete: number[];
  /** Keys of `assets`, then of `complete`. Only people read them, so long keys and long lists are cut. */
  keys: string[];
  /** By run: number of assets that other runs hold or have since delivered. */
  takenByOtherRuns: OtherRunAssets[];
  /** Names of the pages with updates of the assets, such as ids from earlier runs. */
  pages: string[];
  /** The grid cell of each of `assets`, in the same order. Set only for a grid. */
  cells?: CellIndexes[];
  /** Load of the worker. Absent if it has ample capacity. */
  load?: Load;
}

/** Identifies a cell: index of its group's first asset in the shard, then a number for each position. */
export type CellIndexes = [group: number, ...positions: number[]];

export interface OtherRunAssets {
  run: string;
  assets: number;
  /** Set if the run belongs to another Temporal server, so it is unknown whether it is still open. */
  elsewhere?: true;
}

/** The fields of a step that its activity needs. */
export type StepConfig = Pick<
  Step,
  | 'id'
  | 'node'
  | 'when'
  | 'config'
  | 'batch'
  | 'retry'
  | 'timeoutMs'
  | 'isSideStep'
  | 'onFailure'
  | 'cells'
  | 'demands'
  | 'delivery'
>;

export interface StepInput extends ShardAddress {
  step: StepConfig;
  /** Steps that the activity may run after `step`, in order. Absent if there are none. */
  chain?: NextStep[];
  assets: number[];
  /** Names of the pages with updates of the assets, in the order in which they were written. */
  pages: string[];
  /** Rules of a wait. Null for calls. */
  wait: WaitRules | null;
}

export type NextStep = StepConfig & Pick<Step, 'activity'>;

export interface WaitRules extends Batching {
  /** When each asset became ready for the step, in the order of `assets`. */
  enteredAtMs: number[];
}

/** How many results a wait reports together. */
export interface Batching {
  /** Number of assets that fill the calls of the next steps. */
  batchAssets: number;
  /** Number of calls that these assets fill. Defaults to one. */
  calls?: number;
}

/** Holds a step, which does not accept assets until a given time. */
export interface StepHold {
  /** Epoch ms, by Temporal's clock. */
  untilMs: number;
  /** The same time by the clock of the platform, ISO 8601, for people. */
  until: string;
  /** What the assets wait for. */
  for: string;
}

/** Outcomes of a step's assets. A wait, or a call with `hold`, does not mention assets that are still open. */
export interface StepReport {
  done: number[];
  pruned: number[];
  failed: number[];
  /** Assets whose platform work failed. The work may be restarted at the step that `retry` points to. */
  retry: number[];
  /** Names of the pages with asset updates that the activity wrote, about all assets except pruned ones. */
  pages: string[];
  /** The first few assets that failed or are retried. */
  reportedFailures: ReportedFailure[];
  /** Set if the step does not accept assets before a given time. If absent, the step is not held. */
  hold?: StepHold;
}

export interface StepOutput extends StepReport {
  /**
   * Reports of the steps of the input's `chain`, each about assets that were done in the previous step. Assets that a
   * report does not mention have not reached that step. If absent, no step of the chain was run.
   */
  chain?: StepReport[];
  /** Why the activity stopped early, if the cause concerns the whole run. */
  stop?: RunCause;
  /** API requests that this activity sent, by operation. Shared polls are counted by the activity that sent them. */
  requests: Record<string, number>;
  /** Load of the worker. Absent if it has ample capacity. */
  load?: Load;
}

/** A failure with its text, for people who watch the run. */
export interface ReportedFailure {
  assetIndex: number;
  key: string;
  code: string;
  message: string;
  attempts: number;
  /** Model of the asset, if it had one. */
  modelId?: string;
  /** Node of the failed step. Set when this failure becomes the outcome of its asset. */
  node?: string;
}

/** The failure of a whole activity. It applies to all assets of the activity and is in no asset update. */
export interface StepCause {
  node: string;
  code: string;
  message: string;
}

export interface ShardAssetOutcome {
  assetIndex: number;
  outcome: 'complete' | 'failed' | 'skipped' | 'cancelled';
  /** Set if the run has stopped starting work. Work that the asset had started on the platform was not cancelled. */
  isStopped?: true;
  /** Set only for `failed`: the node that failed, with details that its asset update lacks. */
  failure?: { node: string; attempts?: number; cause?: number };
  /** Indexes of the causes that are warnings of the asset. */
  warningCauses?: number[];
}

/** What the shard's workflow knows about its assets: names of pages with updates, and causes that no update has. */
export interface KnownAssets extends ShardAddress {
  pages: string[];
  causes: StepCause[];
}

export interface FinalizeInput extends KnownAssets {
  /** Number of a part of the shard's results. It is unique per `finalizeAssets` call of the shard. */
  part: number;
  outcomes: ShardAssetOutcome[];
  /** Whether resources of earlier versions of changed files are deleted now or by a later run. If absent, they stay. */
  superseded?: 'delete' | 'later';
  /** Why renders of cancelled assets could not be cancelled. Absent if their cancellation did not fail. */
  renderContinues?: string;
}

/** Result of `finalizeAssets`. Undefined if no deletion was requested. */
export interface FinalizeReport {
  requests: Record<string, number>;
}

export interface CompactInput extends KnownAssets {
  assets: number[];
  /** Warnings that are in no asset update, by asset, as indexes of `causes`. */
  warningCauses: [at: number, causes: number[]][];
}

/** Names of the pages with compacted asset updates, which replace all pages of the input. */
export interface CompactedPages {
  pages: string[];
}

export interface CancelRemoteInput extends ShardAddress {
  assets: number[];
  pages: string[];
}

export interface CancelReport {
  /** Names of pages with asset updates: ids that no step reported, and a warning per render that continues. */
  pages: string[];
  requests: Record<string, number>;
}
