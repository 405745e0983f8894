// Everything that crosses the Temporal boundary: activity signatures, workflow names, ids and messages. Contains only
// types and constants, so that both sides of the workflow sandbox can import this file.

import type { DeadlineProgress, Lateness } from '../deadline.ts';
import type { Delivery } from '../run/deliveries.ts';
import type { CarriedEventIds } from '../run/event-deduplicator.ts';
import type { FindHostInput, FolderView, ProbeInput } from '../run/folders.ts';
import type { Rerun } from '../run/rerun.ts';
import type { RunCause } from '../run/run-cause.ts';
import type { RunContext } from '../run/run-context.ts';
import type { ContinuedHold, ContinuedShard } from '../run/run-continuation.ts';
import type { RunLimits } from '../run/run-limits.ts';
import type { Selection } from '../run/selection.ts';
import type { StartPointCount } from '../run/start-points.ts';
import type { CarriedShardState } from '../shard/shard-continuation.ts';
import type {
  CancelRemoteInput,
  CancelReport,
  CompactedPages,
  CompactInput,
  FinalizeInput,
  FinalizeReport,
  OpenedShard,
  OpenShardInput,
  OtherRunAssets,
  ShardAddress,
} from '../shard/step-contract.ts';
import type { Outcome, ShardProgress, StepCount, StepWait, Totals } from '../shard/totals.ts';
import type { FlightProgress, Load } from '../shard/window.ts';
import type {
  Asset,
  Canary,
  CanaryProgress,
  DeliveredFile,
  Failure,
  FreshnessRule,
  Plan,
  Stages,
} from '../types.ts';
import type { WithdrawalRules, WithdrawnCounts } from '../withdrawal.ts';
import type { ConnectorUse } from './connector-uses.ts';
import type { EventObject, FilterEventsInput, FilteredEvents } from './filter-contract.ts';
import type { WriteManifestsInput } from './manifest-contract.ts';
import type { NoticeInput, NoticeResult } from './notice-contract.ts';
import type { ClosedShardsInput, EndOrphanedChildrenInput } from './orphaned-children-contract.ts';
import type { ReceiverSecret } from './receiver-secrets.ts';
import type { WriteReportInput } from './report-contract.ts';
import type { VerifiedCounts } from './verified-counts.ts';
import type { WithdrawInput, WithdrawResult } from './withdraw-contract.ts';

export { workflowIds } from './workflow-ids.ts';

/** Type of the ApplicationFailure that stops or pauses a whole run. Its detail is a RunCause. */
export const runCauseType = 'RunCause';

/** Type of the ApplicationFailure of a discovery that needs a chosen host first. Its detail lists the hosts. */
export const severalHostsType = 'SeveralHosts';

export const workflowNames = {
  run: 'pipelineRun',
  shard: 'assetBatch',
  notice: 'runNotice',
  eventTrigger: 'eventTrigger',
  allowance: 'allowance',
  pollLeader: 'pollLeader',
  audit: 'auditLog',
} as const;

export interface DiscoverInput {
  context: RunContext;
  discovery: Plan['discovery'];
  deliveries: Delivery[];
  stages: Stages;
  shardSize: number;
  canary?: Canary;
  /** Platform ids that the run was started for. If absent, the selection of the file applies. */
  ids?: readonly string[];
  rerun?: Rerun;
  selection?: Selection;
  /** Connectors that the plan's steps use, so that destinations are checked before the first page. */
  connectorUses?: ConnectorUse[];
  /** Set to compare sources and delivered files by content. If absent, sizes, times and ETags are trusted. */
  verify?: true;
  freshness?: FreshnessRule[];
  /** See Plan and RunInput. If absent, nothing is withdrawn. */
  withdrawn?: { rules: WithdrawalRules; all: boolean };
  /** The run starts nothing if the plan exceeds these limits. */
  caps?: { limits: RunLimits; plan: Plan };
  receivers?: readonly ReceiverSecret[];
  /** Number of the discovery page to list. If absent, everything is listed. */
  discoveryPage?: number;
  isHostChosen?: true;
  /** A person has decided that the run starts new records where earlier ones are missing. */
  newRecords?: true;
}

/** Summary of what a run found. The assets are in pages of the records store. */
export interface Discovery {
  pages: number;
  /**
   * Index of the first asset of each shard of a grid, since no shard splits a group of cells. If absent, `shardSize`
   * decides.
   */
  starts?: number[];
  /** The first few names of positions, by dimension. Absent if the plan has no grid. */
  positions?: Record<string, string[]>;
  total: number;
  new: number;
  changed: number;
  unchanged: number;
  /** Number of sources that cannot be assets, such as sources with unsafe names. The run assets list all of them. */
  refused: number;
  /** Start stages of assets that were moved, are too old, or have a changed pipeline. Absent if none. */
  startPoints?: StartPointCount[];
  /** The first few refused sources. Absent if there are none. */
  refusals?: Failure[];
  /** The first few warnings about sources that were left out without a failure. Absent if there are none. */
  warnings?: RunWarning[];
  verified?: VerifiedCounts;
  /** Number of delivered assets that the run withdraws at its end. Absent if there are none. */
  withdraws?: number;
  /** Number of the next discovery page. Absent once all sources are listed. Counts cover the pages so far. */
  nextDiscoveryPage?: number;
}

export interface RunWarning {
  /** Key of the asset, or the node, that the warning concerns. */
  key: string;
  message: string;
}

export interface DiscoverResult extends Discovery {
  requests?: Record<string, number>;
}

export interface FinalizedAsset extends Asset {
  outcome: 'complete' | 'failed' | 'skipped' | 'cancelled';
  files: DeliveredFile[];
  warnings: string[];
  failure: Failure | null;
  /** For `cancelled` only: the platform did not cancel the asset's render, so the next run takes over the render. */
  renderContinues?: boolean;
  /** `complete` only: deleted platform resources of earlier versions of the source file. */
  deleted?: PlatformResource[];
}

export interface PlatformResource {
  /** Kind as in the API contract. */
  kind: string;
  id: string;
}

/** Counts of a shard whose workflow failed, read from the records store. */
export interface ShardCount {
  totals: Totals;
  /** The first few failures. */
  failures: Failure[];
  /** Who terminated the shard, and why. Null if the failure of the shard's workflow contains the reason. */
  reason: string | null;
}

/** Activities of a worker by name: the activities in `Activities`, and one activity per step type. */
export type AllActivities = Readonly<Record<string, (input: never) => Promise<unknown>>>;

/** Activities other than those of step types. */
export interface Activities {
  discover(input: DiscoverInput): Promise<DiscoverResult>;
  openShard(input: OpenShardInput): Promise<OpenedShard>;
  compactPages(input: CompactInput): Promise<CompactedPages>;
  finalizeAssets(input: FinalizeInput): Promise<FinalizeReport | undefined>;
  countShard(input: ShardAddress): Promise<ShardCount>;
  endOrphanedChildren(input: EndOrphanedChildrenInput): Promise<void>;
  listClosedShards(input: ClosedShardsInput): Promise<number[]>;
  readLoad(input: { context: RunContext }): Promise<Load>;
  cancelRemoteJobs(input: CancelRemoteInput): Promise<CancelReport>;
  sendNotice(input: NoticeInput): Promise<NoticeResult>;
  writeReport(input: WriteReportInput): Promise<void>;
  withdraw(input: WithdrawInput): Promise<WithdrawResult>;
  /** Returns warnings, or undefined if there are none. */
  writeManifests(input: WriteManifestsInput): Promise<RunWarning[] | undefined>;
  filterEvents(input: FilterEventsInput): Promise<FilteredEvents>;
  holdPollLeadership(input: Record<string, never>): Promise<void>;
  /** Runs on the task queue of a host. Returns each path as the host sees it. */
  probeFolders(input: ProbeInput): Promise<FolderView[]>;
  findHost(input: FindHostInput): Promise<{ here: boolean }>;
}

export interface TriggerEvent {
  name: string;
  /** When the event happened, by the platform's clock. */
  at: string;
  /** The objects that the event concerns. Empty if its payload does not identify them. */
  objects: EventObject[];
}

/** The plan that an event trigger starts, with what all of its runs have in common. */
export interface TriggerPlan {
  plan: Plan;
  /** Prefix of the ids of its runs. */
  runName: string;
  memo: Record<string, unknown>;
  limits?: RunLimits;
  /** Facts by field that identify this version of the file, for people. They are in the memo of the event trigger. */
  facts: Record<string, string>;
}

/** Memo field of an event trigger. Its value is a TriggerMemo. */
export const triggerMemoField = 'renderlineTrigger';

export interface TriggerMemo {
  pipeline: string;
  event: string;
  facts: Record<string, string>;
}

/** Returns the facts about an event trigger that can be read without a query. */
export function triggerMemo({ plan, facts }: TriggerPlan): Record<string, TriggerMemo> {
  const { pipeline, eventTrigger } = plan;
  return { [triggerMemoField]: { pipeline, event: eventTrigger?.event ?? '', facts } };
}

export interface TriggerInput {
  triggerPlan: TriggerPlan;
  /** True if search attributes are registered on this server. */
  searchable: boolean;
  /** Search attributes for failures that the server could not register. Absent if the server has all of them. */
  missingSearchAttributes?: readonly string[];
  /** Set by continue-as-new. */
  carried?: TriggerContinuation;
}

/** State that an event trigger passes to its continuation. */
export interface TriggerContinuation extends CarriedEventIds {
  startedAtMs: number;
  /** When the last sweep took place. Null if there was none. */
  sweptAtMs: number | null;
  /** All objects created before this time have been found. Null if there is no such time yet. */
  foundToMs: number | null;
  /** The latest time for a requested extra sweep. Null if only the regular sweep is due. */
  sweepByMs: number | null;
  pendingObjects: EventObject[];
  started: string[];
}

/** Input of a new run. A schedule cannot name its runs in advance, so these runs name themselves. */
export type RunStart = Omit<RunInput, 'run' | 'lineage'> & Partial<RunInput>;

export interface RunInput {
  plan: Plan;
  run: string;
  lineage: string;
  epoch: number;
  /** True if search attributes are registered on this server. */
  searchable: boolean;
  /** Search attributes for failures that the server could not register. Absent if the server has all of them. */
  missingSearchAttributes?: readonly string[];
  /** Set if the server has the search attribute for positions of grid cells. */
  hasPositionAttribute?: boolean;
  /** Platform ids that the run was started for. The root uses them instead of the selection of the file. */
  ids?: readonly string[];
  /** The part of an earlier run that this run repeats. If absent, the run takes all assets, or those in `selection`. */
  rerun?: Rerun;
  selection?: Selection;
  /** Limits that are checked when the assets are found. Limits given by a person are also checked before the start. */
  limits?: RunLimits;
  /** Time after which runs of other Temporal servers that hold an asset count as ended, as stated by a person. */
  takeOverMs?: number;
  /** Set to compare unchanged assets by content. */
  verify?: true;
  /** Set if a person allows missing files to be rendered again. */
  mayRerender?: true;
  /** Set if a person allows all removed products to be withdrawn, even if there are many or the source is empty. */
  withdrawAll?: true;
  /** Set by continue-as-new. */
  carried?: RunContinuation;
}

export interface RunContinuation {
  startedAtMs: number;
  discovery: Discovery;
  nextShard: number;
  totals: Totals;
  steps: Record<string, StepCount>;
  failures: Failure[];
  failedModels: string[];
  /** Number of assets that were left to each of the first few other runs. */
  takenByOtherRuns?: OtherRunAssets[];
  requests: Record<string, number>;
  historyEvents: number;
  continuations: number;
  /** Set if more assets failed than the file tolerates, which is reported once. */
  breached?: true;
  approved?: true;
  /** Set if receivers know that assets are waiting for people. */
  hasAsked?: true;
  /** How often the run asked to approve its canary or changed pictures. Absent means never. */
  approvalRequests?: number;
  /** Shards in flight. Absent if all have finished. */
  open?: ContinuedShard[];
  /** State of the wait for a person. Absent unless the run waits for one. */
  gate?: ContinuedHold;
  /** Why the run starts no further work. Absent if it may start some. */
  stopped?: RunCause;
  host?: string;
  withdrawn?: WithdrawResult;
  /** States whether the run has missed its deadline or is expected to miss it. Absent if neither is the case. */
  lateness?: Lateness;
}

export interface ShardInput {
  plan: Plan;
  context: RunContext;
  shard: number;
  /** Workflow id of the run that the shard sends progress and causes to. */
  parent: string;
  /** True if the shard starts without submitting, because the run is paused. */
  paused: boolean;
  /** Age from which the shard takes over assets from runs of other Temporal servers. Absent means never. */
  takeOverMs?: number;
  /**
   * Set if the run has so many shards that it may continue as new before this one finishes. The continuation is not the
   * shard's parent, so the shard reports with signals that it waits and that it has finished.
   */
  isOneOfMany?: true;
  /** Set by continue-as-new. */
  carried?: ShardContinuation;
}

export interface ShardContinuation {
  startedAtMs: number;
  state: CarriedShardState;
  keys: [at: number, key: string][];
  /** Assets that other runs held when the shard was opened. */
  takenByOtherRuns: OtherRunAssets[];
  stopped: boolean;
  /** Time of the last pause or resume signal that the shard received. */
  lastSignalMs: number;
  part: number;
  /** Average time of assets in waiting steps so far, ms, by step id. */
  waitDurationsMs: Record<string, number>;
  requests: Record<string, number>;
  historyEvents: number;
  isWaiting?: true;
  /** Set if the shard has reported that assets are waiting for people. */
  hasAsked?: true;
}

export interface ShardResult {
  shard: number;
  totals: Totals;
  steps: Record<string, StepCount>;
  /** The first few failures. The results in the records store contain all of them. */
  failures: Failure[];
  failedModels: string[];
  requests: Record<string, number>;
  historyEvents: number;
  takenByOtherRuns: OtherRunAssets[];
}

export interface RunResult {
  run: string;
  pipeline: string;
  outcome: Outcome;
  assets: Totals & { new: number; changed: number; unchanged: number };
  /** Why the run stopped early. Absent if it did not. */
  cause?: RunCause;
  failures: Failure[];
  /** Warnings about the run. Warnings about assets are in the results in the records store. */
  warnings?: RunWarning[];
  requests: Record<string, number>;
  historyEvents: number;
  withdrawn?: WithdrawnCounts;
  startedAtMs: number;
  seconds: number;
}

export interface OpenShard {
  shard: number;
  lastReport: Partial<ShardProgress>;
}

export interface RunProgress {
  run: string;
  pipeline: string;
  state: 'discovering' | 'running' | 'paused' | 'finished' | 'cancelling';
  cause: RunCause | null;
  canary?: CanaryProgress;
  deadline?: DeadlineProgress;
  discovery: Discovery | null;
  host?: string;
  totals: Totals;
  withdrawn?: WithdrawnCounts;
  inFlight: FlightProgress;
  /** Shards in flight. Their own `progress` query has the current figures. */
  openShards: OpenShard[];
  shardsDone: number;
  failures: Failure[];
  /** API requests of finished shards, plus those that open shards last reported. Likewise `historyEvents`. */
  requests: Record<string, number>;
  historyEvents: number;
  /** Counts of finished shards, plus those that open shards last reported. */
  steps: Record<string, StepCount>;
  /** Assets that wait, by step id, in all shards. The run omits this sum, so clients query the shards. */
  waits?: Record<string, StepWait>;
}
