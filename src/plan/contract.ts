// Everything that crosses the Temporal boundary: activity signatures, workflow names, ids, messages.
// Types and constants only, so both sides of the workflow sandbox can import it.

import type { Begin } from './begins.ts';
import type { CarriedGate, CarriedShard } from './carried.ts';
import type { CarriedState } from './carried-shard.ts';
import type { ConnectorUse } from './connector-uses.ts';
import type { Delivery } from './deliveries.ts';
import type { FindHostInput, FolderView, ProbeInput } from './folders.ts';
import type { NoticeInput, NoticeResult } from './notice-contract.ts';
import type { ReceiverSecret } from './receiver-secrets.ts';
import type { WriteReportInput } from './report-contract.ts';
import type { Rerun } from './rerun.ts';
import type { RunCause } from './run-cause.ts';
import type { RunContext } from './run-context.ts';
import type { RunLimits } from './run-limits.ts';
import type { CarriedSeen } from './seen.ts';
import type { Selection } from './selection.ts';
import type { Sifted, SiftInput, ToldOf } from './sift-contract.ts';
import type {
  CancelRemoteInput,
  CancelReport,
  Folded,
  FoldInput,
  OpenedShard,
  OpenShardInput,
  SettleInput,
  SettleReport,
  ShardOf,
  TakenBy,
} from './step-contract.ts';
import type { ClosedShardsInput, EndStraysInput } from './strays-contract.ts';
import type { Outcome, ShardProgress, StepCount, StepWait, Totals } from './totals.ts';
import type {
  Asset,
  Canary,
  CanaryProgress,
  ConnectorSpec,
  DeliveredFile,
  Failure,
  FreshnessRule,
  Plan,
  Stages,
} from './types.ts';
import type { VerifiedCounts } from './verified-counts.ts';
import type { FlightProgress, Load } from './window.ts';
import type { WithdrawInput, WithdrawReport } from './withdraw-contract.ts';
import type { WithdrawalRules, WithdrawnCounts } from './withdrawal.ts';

/** Type of the failure that belongs to the run, not to an asset; carries a RunCause as its detail. */
export const runCauseType = 'RunCause';

/** Type of the failure of a discovery that must know first which host has the run's folders; carries the hosts. */
export const severalHostsType = 'SeveralHosts';

export const workflowNames = {
  run: 'pipelineRun',
  shard: 'assetBatch',
  notice: 'runNotice',
  intake: 'eventIntake',
  allowance: 'allowance',
  lookout: 'lookout',
  audit: 'auditLog',
} as const;

export const workflowIds = {
  /** The run id is the workflow id: readable, and what every command takes. */
  run: (run: string) => run,
  intake: (pipeline: string) => `intake/${pipeline}`,
  /** @param key short hash of the platform's address and the key */
  allowance: (key: string) => `allowance/${key}`,
  lookout: (taskQueue: string) => `lookout/${taskQueue}`,
  audit: (taskQueue: string) => `audit/${taskQueue}`,
  notice: (run: string, receiver: number) => `${run}/notice-${receiver + 1}`,
  asked: (run: string, receiver: number) => `${run}/asked-${receiver + 1}`,
  shard: (run: string, shard: number) => `${run}/shard-${String(shard + 1).padStart(4, '0')}`,
};

export interface DiscoverInput {
  context: RunContext;
  discovery: Plan['discovery'];
  /** Absent in runs of earlier versions: whose file has a name is told when it is delivered. */
  deliveries?: Delivery[];
  /** See Plan. */
  stages?: Stages;
  shardSize: number;
  canary?: Canary;
  /** See RunInput. */
  ids?: readonly string[];
  again?: Rerun;
  /** See RunInput. */
  selection?: Selection;
  /** Connectors that its steps name, so that those that they deliver to are checked first; absent: of an earlier version. */
  uses?: ConnectorUse[];
  /** Compares files by content, also at the destination; absent: sizes, times and ETags are believed. */
  verify?: { destination: ConnectorSpec | null };
  /** See Plan. */
  freshness?: FreshnessRule[];
  /** See Plan and RunInput; absent: nothing is withdrawn. */
  withdrawn?: { rules: WithdrawalRules; all: boolean };
  /** Nothing is begun when the plan exceeds these caps. */
  caps?: { limits: RunLimits; plan: Plan };
  /** Secrets that the worker needs for receivers of notices; absent: none. */
  receivers?: readonly ReceiverSecret[];
  /** Number of the stretch to list; absent: the run that asks knows of none, and wants all. */
  stretch?: number;
  /** The run has found out where it belongs. */
  placed?: true;
}

/** The findings of a run. The assets themselves are in the manifest pages, in the records store. */
export interface Discovery {
  pages: number;
  /** Where the assets of each shard begin, of a colorway grid: all colorways of a model are in one shard. */
  starts?: number[];
  /** Names of the colorways that the run makes, the first few; absent where assets are no cells. */
  colorways?: string[];
  total: number;
  new: number;
  changed: number;
  unchanged: number;
  /** Sources that could not become an asset (a name clash, a hostile name, an id that is not there); the manifest has them all. */
  refused: number;
  /** Of the changed ones; absent where the pipeline makes nothing else of any. */
  begins?: Begin[];
  /** The first few of these; absent where there are none. */
  refusals?: Failure[];
  /** Things that were left out though nothing failed, the first few; absent where there are none. */
  warnings?: RunWarning[];
  /** Absent where nobody asked for it. */
  verified?: VerifiedCounts;
  /** Delivered assets whose source is gone, which the run withdraws at its end; absent: none. */
  withdraws?: number;
  /** Number of the stretch that is listed next; absent where all is listed. Counts and pages are those so far. */
  next?: number;
}

/** Worth knowing. */
export interface RunWarning {
  /** Key of an asset, or the node that the warning is about. */
  key: string;
  message: string;
}

/** Answer of a run's discovery. */
export interface Discovered extends Discovery {
  /** API requests that it sent, by operation; absent where it sent none. */
  requests?: Record<string, number>;
}

/** One asset that has come to its end. */
export interface SettledAsset extends Asset {
  outcome: 'complete' | 'failed' | 'skipped' | 'cancelled';
  files: DeliveredFile[];
  warnings: string[];
  failure: Failure | null;
  /** `cancelled` only: the platform would not cancel its render, so the next run takes it over. */
  renderGoesOn?: boolean;
  /** `complete` only: things of earlier versions of its file on the platform, which are gone now. */
  deleted?: PlatformThing[];
}

/** A thing on the platform that a file has become. */
export interface PlatformThing {
  /** As the rows of the API's contract name it. */
  kind: string;
  id: string;
}

/** Counts from the records of a shard that broke. */
export interface ShardCount {
  totals: Totals;
  /** The first few. */
  failures: Failure[];
  /** The person or workflow that ended it, and why; null: its own failure tells. */
  why: string | null;
}

/** Activities of a worker, by name: those of `Activities`, and one for each step type, by the name of the type. */
export type AllActivities = Readonly<Record<string, (input: never) => Promise<unknown>>>;

/** Activities beside those of the steps of a plan. */
export interface Activities {
  discover(input: DiscoverInput): Promise<Discovered>;
  open_shard(input: OpenShardInput): Promise<OpenedShard>;
  fold(input: FoldInput): Promise<Folded>;
  settle(input: SettleInput): Promise<SettleReport | undefined>;
  count_shard(input: ShardOf): Promise<ShardCount>;
  end_strays(input: EndStraysInput): Promise<void>;
  /** Those of the shards that go on no more. */
  closed_shards(input: ClosedShardsInput): Promise<number[]>;
  read_load(input: { context: RunContext }): Promise<Load>;
  cancel_remote(input: CancelRemoteInput): Promise<CancelReport>;
  send_notice(input: NoticeInput): Promise<NoticeResult>;
  write_report(input: WriteReportInput): Promise<void>;
  withdraw(input: WithdrawInput): Promise<WithdrawReport>;
  sift_events(input: SiftInput): Promise<Sifted>;
  keep_lookout(input: Record<string, never>): Promise<void>;
  /** At the queue of a host. Gives what it sees of each path. */
  probe_folders(input: ProbeInput): Promise<FolderView[]>;
  find_host(input: FindHostInput): Promise<{ here: boolean }>;
}

/** An event of the platform, as an intake takes it. */
export interface IntakeEvent {
  name: string;
  /** When it happened, as the platform says. */
  at: string;
  /** The objects that it is about; empty where its payload does not say. */
  about: ToldOf[];
}

/** The plan that an intake starts runs of. */
export interface IntakePlan {
  plan: Plan;
  /** Begins the ids of its runs. */
  runName: string;
  /** Memo of its runs. */
  memo: Record<string, unknown>;
  /** Caps that each of its runs looks at; absent: none. */
  limits?: RunLimits;
  /** Facts that tell this state of the file from another, by field, for people; the intake's memo has them. */
  facts: Record<string, string>;
}

/** Field of the memo of an intake, which is an IntakeMemo. */
export const intakeMemoField = 'renderlineIntake';

export interface IntakeMemo {
  pipeline: string;
  event: string;
  facts: Record<string, string>;
}

/** Facts about an intake that can be read without asking it. */
export function intakeMemo({ plan, facts }: IntakePlan): Record<string, IntakeMemo> {
  const { pipeline, intake } = plan;
  return { [intakeMemoField]: { pipeline, event: intake?.event ?? '', facts } };
}

export interface IntakeInput {
  made: IntakePlan;
  /** Search attributes are registered on this server. */
  searchable: boolean;
  /** See RunInput. */
  unsearched?: readonly string[];
  /** Set by continue-as-new. */
  carried?: IntakeCarried;
}

/** State that an intake hands to its continuation. */
export interface IntakeCarried extends CarriedSeen {
  startedAtMs: number;
  /** null: not yet. */
  sweptAtMs: number | null;
  /** A sweep was asked for by this time; null: only the usual one. */
  sweepByMs: number | null;
  gathered: ToldOf[];
  started: string[];
}

/** Input of a new run. A schedule cannot name its runs beforehand, so they name themselves. */
export type RunStart = Omit<RunInput, 'run' | 'lineage'> & Partial<RunInput>;

export interface RunInput {
  plan: Plan;
  run: string;
  lineage: string;
  epoch: number;
  /** Search attributes are registered on this server. */
  searchable: boolean;
  /** Names of those of failures that the server has no room for; absent: it has all of them. */
  unsearched?: readonly string[];
  /** So is that of colorways. */
  searchesColorways?: boolean;
  /** Platform ids that the run was started for; the root takes these in place of what the file selects. */
  ids?: readonly string[];
  /** Absent: it takes what there is, or what of it a person has chosen. */
  again?: Rerun;
  selection?: Selection;
  /** Caps that are looked at when its assets are found; a person's are looked at before it starts as well. */
  limits?: RunLimits;
  /** A person's word that runs of other Temporal servers which have held an asset for so long go on no more. */
  takeOverMs?: number;
  /** Compares by content what looks unchanged. */
  verify?: true;
  /** A person's word that what lies nowhere any more may be rendered again. */
  rendersAgain?: true;
  /** A person's word that all that is gone is to be withdrawn, however much it is, also from a source that was emptied. */
  withdrawAll?: true;
  /** Set by continue-as-new. */
  carried?: RunCarried;
}

/** State that a run hands to its continuation. */
export interface RunCarried {
  startedAtMs: number;
  discovery: Discovery;
  nextShard: number;
  totals: Totals;
  steps: Record<string, StepCount>;
  failures: Failure[];
  failedModels: string[];
  /** Assets that were left to other runs, by run, the first few. */
  taken?: TakenBy[];
  requests: Record<string, number>;
  historyEvents: number;
  continuations: number;
  /** More failed than the file tolerates, which is said once. */
  breached?: true;
  /** A person has approved the result of the canary. */
  approved?: true;
  /** Shards in flight; absent where all have ended. */
  open?: CarriedShard[];
  /** Absent where it waits for nobody. */
  gate?: CarriedGate;
  /** Why it begins nothing new; absent where it may. */
  stopped?: RunCause;
  /** The host that has its folders. */
  host?: string;
  /** What it has withdrawn; absent: nothing. */
  withdrawn?: WithdrawReport;
}

export interface ShardInput {
  plan: Plan;
  context: RunContext;
  shard: number;
  /** Parent's workflow id, for progress and causes. */
  parent: string;
  /** Start without submitting, because the run is paused. */
  paused: boolean;
  /** See RunInput. */
  takeOverMs?: number;
  /**
   * One of so many that the run may continue as new before it ends, and then hears no more of its children: it is told by
   * signals that this one waits, and that it has ended.
   */
  many?: true;
  /** Set by continue-as-new. */
  carried?: ShardCarried;
}

/** State that a shard hands to its continuation. */
export interface ShardCarried {
  startedAtMs: number;
  state: CarriedState;
  keys: [at: number, key: string][];
  /** Assets that other runs held when the shard was opened. */
  taken: TakenBy[];
  stopped: boolean;
  /** When the run made the last wish that the shard has heard, to pause or to resume; absent in histories of before. */
  heardMs?: number;
  part: number;
  /** How long assets took in waiting steps so far, ms, by step id. */
  tookMs: Record<string, number>;
  requests: Record<string, number>;
  historyEvents: number;
  /** The run was told that its assets only wait. */
  waits?: true;
}

export interface ShardResult {
  shard: number;
  totals: Totals;
  steps: Record<string, StepCount>;
  /** The first few; all of them are in the results pages. */
  failures: Failure[];
  failedModels: string[];
  requests: Record<string, number>;
  historyEvents: number;
  /** Assets that it left to other runs, by run. */
  taken: TakenBy[];
}

export interface RunResult {
  run: string;
  pipeline: string;
  outcome: Outcome;
  assets: Totals & { new: number; changed: number; unchanged: number };
  /** Why it stopped before its end; absent where it did not. */
  cause?: RunCause;
  failures: Failure[];
  /** Warnings of the discovery; those of assets are in the results pages. */
  warnings?: RunWarning[];
  requests: Record<string, number>;
  historyEvents: number;
  /** Absent where it withdrew nothing. */
  withdrawn?: WithdrawnCounts;
  startedAtMs: number;
  seconds: number;
}

/** A shard in flight, with the figures of its last report. */
export interface OpenShard {
  shard: number;
  counted: Partial<ShardProgress>;
}

/** Answer of the `progress` query of a run. */
export interface RunProgress {
  run: string;
  pipeline: string;
  state: 'discovering' | 'running' | 'paused' | 'finished' | 'cancelling';
  /** Why it is paused, or stops. */
  cause: RunCause | null;
  /** Progress of the canary; absent where the run asks for no approval. */
  canary?: CanaryProgress;
  discovery: Discovery | null;
  /** The host that it runs on; absent where any will do. */
  host?: string;
  totals: Totals;
  /** What it has withdrawn; absent: nothing so far. */
  withdrawn?: WithdrawnCounts;
  /** Absent in runs of plans that say nothing of it. */
  inFlight?: FlightProgress;
  /** Shards in flight, whose own `progress` has the figures of the moment. */
  openShards: OpenShard[];
  shardsDone: number;
  failures: Failure[];
  /** Requests of finished shards, and of those in flight by their last report; the events likewise. */
  requests: Record<string, number>;
  historyEvents: number;
  /** Finished shards, and the last report of those in flight. */
  steps: Record<string, StepCount>;
  /** Sum of what its shards answer. A run itself does not know. */
  waits?: Record<string, StepWait>;
}
