// Messages between a shard and its activities. Assets are positions in the shard's page of the
// manifest; ids, outputs, files and messages stand in pages of the records store, so that messages stay small
// however long names are and however many outputs an asset has.
import type { RunCause } from './run-cause.ts';
import type { RunContext } from './run-context.ts';
import type { Step } from './types.ts';
import type { Load } from './window.ts';

export interface ShardOf {
  context: RunContext;
  shard: number;
}

export interface OpenShardInput extends ShardOf {
  /** See RunInput. */
  takeOverMs?: number;
}

/** The assets of a shard that this run has claimed; the others are somebody else's. */
export interface OpenedShard {
  assets: number[];
  /** Assets that it has delivered already, before its shard was reset. */
  complete: number[];
  /** Keys of both, in the same order, long ones cut: for people who look at the run. */
  keys: string[];
  /** Assets that other runs hold or have delivered meanwhile, by run. */
  taken: TakenBy[];
  /** Pages with the results of earlier runs. */
  pages: string[];
  /** The grid cell of each of `assets`, in their order, for a colorway grid. */
  cells?: CellAt[];
  /** See StepOutput. */
  load?: Load;
}

/** Position of the first asset of the same model in the shard, a number of its colorway, and of its view where it is one. */
export type CellAt = [model: number, colorway: number, view?: number];

export interface TakenBy {
  run: string;
  assets: number;
  /** Its run is of another Temporal server, which cannot be asked if the run goes on. */
  elsewhere?: true;
}

/** What an activity has to know of a step. */
export type StepPart = Pick<
  Step,
  | 'id'
  | 'node'
  | 'when'
  | 'config'
  | 'batch'
  | 'redo'
  | 'timeoutMs'
  | 'aside'
  | 'onFailure'
  | 'cells'
  | 'allViews'
  | 'slots'
  | 'delivery'
>;

export interface StepInput extends ShardOf {
  step: StepPart;
  /** Steps to go on with while that takes no time, in their order; absent: none. */
  chain?: NextStep[];
  assets: number[];
  /** Pages that tell of the assets, in the order in which they were written. */
  pages: string[];
  /** null for calls. */
  wait: WaitRules | null;
}

export type NextStep = StepPart & Pick<Step, 'activity'>;

export interface WaitRules extends Gathering {
  /** When each asset came to the step, in the order of `assets`. */
  enteredAtMs: number[];
}

/** How many results a wait hands on together. */
export interface Gathering {
  /** Assets that fill the calls of the steps after this one. */
  gather: number;
  /** How many calls that are; absent: one. */
  calls?: number;
}

/** Outcomes of a step. Assets that are not mentioned are still open (waits only). */
export interface StepReport {
  done: number[];
  pruned: number[];
  failed: number[];
  /** The platform's work failed and may be started again at the step's `redo` target. */
  redo: number[];
  /** Written by the activity; they tell of all assets but the pruned ones. */
  pages: string[];
  /** The first few of those that failed or are to be done again. */
  told: ToldFailure[];
}

export interface StepOutput extends StepReport {
  /**
   * What became of the assets that were done in the steps of `chain`, each about those that were done in the one before; assets that it does not
   * mention have not come that far. Absent: of none.
   */
  chain?: StepReport[];
  /** What kept it from going on, and keeps the whole run from it. */
  stop?: RunCause;
  /** API requests that this activity sent, by operation; shared looks are counted where they were sent. */
  requests: Record<string, number>;
  /** That of the worker; absent where it has room for much more. */
  load?: Load;
}

/** A failure with its text, for who looks at a run while it goes on. */
export interface ToldFailure {
  at: number;
  key: string;
  code: string;
  message: string;
  attempts: number;
  /** Model of the asset, where it had one. */
  modelId?: string;
  /** Known once it is the asset's failure. */
  node?: string;
}

/** A failure of a whole activity: the same for all of its assets, and in no page. */
export interface StepCause {
  node: string;
  code: string;
  message: string;
}

/** One asset that has come to its end. */
export interface SettledAt {
  at: number;
  outcome: 'complete' | 'failed' | 'skipped' | 'cancelled';
  /** `failed` only: the node whose failure it is, with what its page does not tell. */
  failure?: { node: string; attempts?: number; cause?: number };
  /** Indices of causes that are warnings of the asset. */
  warned?: number[];
}

/** Assets with all that the workflow knows of them. */
export interface KnownAssets extends ShardOf {
  pages: string[];
  causes: StepCause[];
}

export interface SettleInput extends KnownAssets {
  /** Part of the shard's results; unique per call of a shard. */
  part: number;
  settled: SettledAt[];
  /** Things made from earlier versions of changed files are deleted, or left for a later run; absent: they stay. */
  superseded?: 'delete' | 'later';
  /** Why renders of cancelled assets could not be cancelled, where nobody could be asked. */
  renderGoesOn?: string;
}

/** Absent where nothing was to be deleted. */
export interface SettleReport {
  requests: Record<string, number>;
}

export interface FoldInput extends KnownAssets {
  assets: number[];
  /** Warnings that are in no page, as indices of causes by position. */
  warned: [at: number, causes: number[]][];
}

/** One set of pages in place of many. */
export interface Folded {
  pages: string[];
}

export interface CancelRemoteInput extends ShardOf {
  assets: number[];
  pages: string[];
}

export interface CancelReport {
  /** Tell of the assets whose render goes on, and why. */
  pages: string[];
  requests: Record<string, number>;
}
