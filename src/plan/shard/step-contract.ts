// Messages between a shard and its activities. Assets are indexes into the shard's page of the manifest. Ids,
// outputs, files and messages are in pages of the records store, so that messages stay small however long names are
// and however many outputs an asset has.
import type { RunCause } from '../run/run-cause.ts';
import type { RunContext } from '../run/run-context.ts';
import type { Step } from '../types.ts';
import type { Load } from './window.ts';

export interface ShardAddress {
  context: RunContext;
  shard: number;
}

export interface OpenShardInput extends ShardAddress {
  /** See RunInput. */
  takeOverMs?: number;
}

/** The assets of a shard that this run has claimed. Other runs hold the rest. */
export interface OpenedShard {
  assets: number[];
  /** Assets that the run had delivered before its shard was reset. */
  complete: number[];
  /** Keys of both, in the same order, cut if they are long: for people who watch the run. */
  keys: string[];
  /** Assets that other runs hold or have delivered meanwhile, by run. */
  takenByOtherRuns: OtherRunAssets[];
  /** Pages with the results of earlier runs. */
  pages: string[];
  /** The grid cell of each of `assets`, in the same order; only for a grid. */
  cells?: CellIndexes[];
  /** See StepOutput. */
  load?: Load;
}

/** Index of the first asset of the same group in the shard, and a number for the position along each dimension. */
export type CellIndexes = [group: number, ...positions: number[]];

export interface OtherRunAssets {
  run: string;
  assets: number;
  /** Its run is on another Temporal server, so it is unknown whether the run is still open. */
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
  /** Steps that the activity may run afterwards, in order; absent: none. */
  chain?: NextStep[];
  assets: number[];
  /** Pages about the assets, in the order in which they were written. */
  pages: string[];
  /** null for calls. */
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
  /** Number of these calls; absent: one. */
  calls?: number;
}

/** Assets of a step wait for a time, and the step takes no asset before. */
export interface StepHold {
  /** Epoch ms, by the clock of Temporal. */
  untilMs: number;
  /** The same time by the clock of the platform, ISO 8601, for people. */
  until: string;
  /** What the assets wait for. */
  for: string;
}

/** Outcomes of a step. Assets that are not mentioned are still open: those of waits, and of calls with `hold`. */
export interface StepReport {
  done: number[];
  pruned: number[];
  failed: number[];
  /** The platform's work failed and may be restarted at the step to which `retry` points. */
  retry: number[];
  /** Pages that the activity wrote, about all assets except pruned ones. */
  pages: string[];
  /** The first few assets that failed or are retried. */
  reportedFailures: ReportedFailure[];
  /** Absent: no asset of the step has to wait. */
  hold?: StepHold;
}

export interface StepOutput extends StepReport {
  /**
   * Reports of the steps of `chain`, each about the assets that were done in the step before. Assets that a report
   * does not mention have not reached that step. Absent: no step was run.
   */
  chain?: StepReport[];
  /** Why the activity stopped early; the cause concerns the whole run. */
  stop?: RunCause;
  /** API requests that this activity sent, by operation. Shared polls are counted by the activity that sent them. */
  requests: Record<string, number>;
  /** Load of the worker; absent if it has ample capacity. */
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
  /** Set once this failure decides the asset's outcome. */
  node?: string;
}

/** A failure of a whole activity: the same for all of its assets, and in no page. */
export interface StepCause {
  node: string;
  code: string;
  message: string;
}

export interface ShardAssetOutcome {
  assetIndex: number;
  outcome: 'complete' | 'failed' | 'skipped' | 'cancelled';
  /** Set if the run has stopped starting work. Nothing that the asset has started was cancelled. */
  isStopped?: true;
  /** `failed` only: the node that failed, with details that its page lacks. */
  failure?: { node: string; attempts?: number; cause?: number };
  /** Indexes of the causes that are warnings of the asset. */
  warningCauses?: number[];
}

/** Everything that the workflow knows about the assets. */
export interface KnownAssets extends ShardAddress {
  pages: string[];
  causes: StepCause[];
}

export interface FinalizeInput extends KnownAssets {
  /** Number of a part of the shard's results; unique per call of a shard. */
  part: number;
  outcomes: ShardAssetOutcome[];
  /** Whether resources of earlier versions of changed files are deleted now or by a later run; absent: they stay. */
  superseded?: 'delete' | 'later';
  /** Why renders of cancelled assets could not be cancelled, if the platform did not respond. */
  renderContinues?: string;
}

/** Absent if there was nothing to delete. */
export interface FinalizeReport {
  requests: Record<string, number>;
}

export interface CompactInput extends KnownAssets {
  assets: number[];
  /** Warnings that are in no page: indexes of causes by asset. */
  warningCauses: [at: number, causes: number[]][];
}

/** The compacted pages that replace all pages of the input. */
export interface CompactedPages {
  pages: string[];
}

export interface CancelRemoteInput extends ShardAddress {
  assets: number[];
  pages: string[];
}

export interface CancelReport {
  /** Pages about assets whose render continues, with the reason. */
  pages: string[];
  requests: Record<string, number>;
}
