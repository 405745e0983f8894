import type { DeliveryManifest } from './delivery-manifests.ts';
import type { CellSharing, CellSource, PlannedDimension } from './grid.ts';
import type { Json } from './json.ts';
import type { PlatformIds } from './platform-ids.ts';
import type { RenderQuota } from './render-quota.ts';
import type { RowSource, TablePlan } from './rows.ts';
import type { WithdrawalRules } from './withdrawal.ts';

// The plan: a compiled pipeline, as plain JSON, and the only thing that workflows know about it.

export type { Json } from './json.ts';

/** Version of this format. A worker refuses a plan of another version and names both. */
export const planSchema = 'renderline/ir/v1';

/** Where files come from or go to. Never contains secrets: connectors read them from the environment. */
export interface ConnectorSpec {
  type: string;
  /** Local folder: absolute path. Others: their own fields. */
  [field: string]: Json;
}

/** Work before files are delivered. A production file needs only the composition. */
export type WorkStage = 'source' | 'composition' | 'render' | 'sheet';
export type Stage = WorkStage | 'delivery';

/** Fingerprints of the stages of a recipe: equal fingerprints give equal results. */
export interface Stages extends Readonly<Record<WorkStage, string>> {
  /** By the node of each export. */
  deliveries: Readonly<Record<string, DeliveryStage>>;
  /** Kinds of files that the pipeline delivers once per model; absent: none. */
  models?: readonly string[];
}

/** If the result of the stage is older than this, the stage and all that need its result are repeated. */
export interface FreshnessRule {
  stage: Stage;
  olderThanMs: number;
}

export interface DeliveryStage {
  /** Fingerprint of the names, location and kind of its files. */
  fingerprint: string;
  /** Name of the connector of the export's files. Its location may have changed since an earlier run. */
  connector: string;
}

export interface Plan {
  schema: typeof planSchema;
  /** First 16 hex digits of the sha256 of the plan without this field. */
  hash: string;
  pipeline: string;
  /** Replaces the pipeline's name wherever Temporal shows it unencrypted; absent: the name itself is shown. */
  alias?: string;
  /** Base name of the file that was compiled; for people. */
  file: string;
  parameters: Record<string, Json>;
  connectors: Record<string, ConnectorSpec>;
  /** Where asset records, claims, intents and results are stored. */
  records: ConnectorSpec;
  /** Where the first export delivers to; `destination` in machine-readable output. null without an export. */
  destination: ConnectorSpec | null;
  /** Hash of all that decides how outputs look and where they go. Assets of another recipe are processed again. */
  recipe: string;
  stages: Stages;
  discovery: {
    node: string;
    activity: string;
    config: Json;
    key: string | null;
    /** What a run looks up before it creates anything: names in steps that all assets reach, and model properties. */
    lookUps?: NameLookup[];
    /** Dimensions by which sources become assets, outermost first; absent: each source is one asset. */
    grid?: PlannedDimension[];
    rows?: TablePlan;
  };
  /** In topological order; steps[0] is the root's own work on each asset. */
  steps: Step[];
  /** Maximum number of assets in one shard; `window`: number of shards that may make calls at once. */
  shardSize: number;
  window: number;
  /** Maximum number of assets in flight. */
  inFlight: number;
  eventTrigger?: EventRules;
  /** Deletes the old model and project, or library item, of a changed file; absent: they stay. */
  supersede?: 'delete-after-success';
  freshness?: FreshnessRule[];
  /** What happens to files of withdrawn products; absent: they stay. */
  withdrawn?: WithdrawalRules;
  manifests?: DeliveryManifest[];
  notify?: NoticeTarget[];
  deadline?: Deadline;
  renderQuota?: RenderQuota;
  /** How many assets may fail before the run reacts; absent: all. */
  tolerate?: Tolerance;
  canary?: Canary;
  /** Folder below the destination for the report of each run; absent: no report. */
  report?: string;
  /** Operations of the platform that the file names, by id; absent: none. */
  operations?: Record<string, NamedOperation>;
  /** Id of the workspace of its runs; absent if it was unknown at the start. */
  workspace?: string;
  /** The host whose workers have the plan's local folders; absent: each run finds it. */
  host?: string;
  /** Priority of the plan's runs; absent: the number of assets of a run decides. */
  priority?: PriorityName;
  /** Decisions of the planner with their reasons, one line each; printed by `renderline plan`. */
  route: string[];
}

export const priorities = ['urgent', 'normal', 'bulk'] as const;
export type PriorityName = (typeof priorities)[number];

/** Route and body of an operation that the platform's reference does not show, as the pipeline file defines them. */
export interface NamedOperation {
  /** 'GET /path/{id}', below the base URL. */
  route: string;
  /** JSON template of the body; absent: the step's default body. */
  body?: Json;
}

export const triggerEvents = ['model.processed', 'project.created', 'render.complete'] as const;

export type NameLookup = Pick<Step, 'node' | 'activity' | 'config'>;

export interface EventRules {
  event: (typeof triggerEvents)[number];
  /** Events are batched for this time, or until the batch is full. */
  batchWindowMs: number;
  batchSize: number;
  /** Time between two sweeps for objects without an event. */
  sweepIntervalMs: number;
  /** A sweep also covers this time before the last sweep, since objects may become visible late. */
  overlapMs: number;
  /** Also takes objects that Renderline itself created. */
  includesOwn: boolean;
}

/** When a run should have ended: a time after its start, or the first time of day after its start. */
export type Deadline =
  | { withinMs: number }
  /** `at`: minutes after midnight. */
  | { at: number; timezone: string };

export interface Tolerance {
  /** Assets, or percent of those that the run takes. */
  failures: number;
  of: 'count' | 'percent';
  onBreach: 'stop' | 'pause';
  /** Steps that start work on the platform. A run that stops starts none of them. */
  submits: string[];
}

export interface Canary {
  /** Assets that a run takes through the whole pipeline before it starts the others. */
  assets: number;
  timeoutMs: number;
  /** Condition of the root node. Assets that fail it are not in the canary, since they give nothing to approve. */
  when?: string;
}

export type CanaryProgress = { assets: number } & (
  | { state: 'running' | 'approved' | 'refused'; until: null }
  /** Deadline of the approval, ISO 8601. */
  | { state: 'waiting'; until: string }
);

/** A receiver of notices: `url` and `secretFrom`, or `format` and `urlFrom`. Only workers have the secret. */
export interface NoticeTarget {
  url?: string | undefined;
  /** Name of the environment variable with the signing secret. */
  secretFrom?: string | undefined;
  format?: 'slack' | 'teams' | undefined;
  /** Name of the environment variable with the address of the channel. */
  urlFrom?: string | undefined;
  on: string[];
  /** The person who may decide by a link in `waiting` notices, and the link's lifetime. */
  link?: { for: string; within: string } | undefined;
}

/** `call`: does work for many assets at once. `wait`: polls until assets have changed; never writes. */
export type StepMode = 'call' | 'wait';

export interface Step {
  /** Unique in the plan: the node's id, or `<node>.<part>` if one node became several steps. */
  id: string;
  /** The node of the file from which this step was built. */
  node: string;
  /** Name of the step type, which is also the name of its activity. */
  activity: string;
  mode: StepMode;
  /** Ids of steps that must be done or skipped first. */
  parents: string[];
  /** CEL over the asset; false skips the asset. Evaluated in the activity. */
  when: string | null;
  config: Json;
  /** `call`: maximum number of assets in one activity, or of groups of cells if cells share the step. */
  batch: number;
  /** Maximum duration of one attempt, milliseconds. */
  startToCloseMs: number;
  /** Heartbeat timeout of an attempt; null: the workflow's default. */
  heartbeatMs: number | null;
  /** `wait`: how long an asset may stay in this step. `call`: how long all attempts together may take. */
  timeoutMs: number;
  /** The step at which an asset is retried if this step requests it, and how often. */
  retry: { step: string; max: number } | null;
  /**
   * True for a step that creates nothing, such as a notice, and therefore blocks nothing. An asset that skips it
   * continues as if the step did not exist. A shard with only side steps left lets the run start another shard. The
   * step gets the results of earlier work (`SoFar`).
   */
  isSideStep?: true;
  /** Set for waits in which people decide. Receivers of `waiting` are notified once assets reach the step. */
  asksPeople?: true;
  /** A failure of the step becomes a warning, and the asset continues. */
  onFailure?: 'ignore';
  /** How grid cells share the step; absent: the plan has no grid. */
  cells?: CellSharing;
  /** Set for a wait whose next steps make one call per combination of positions, so the wait batches longer. */
  batchesCells?: true;
  /** Ids of later steps that the step's activity also runs, for assets that are done; absent: none. */
  chain?: string[];
  /** Set for exports: fingerprint of what they deliver, where and under which names. */
  delivery?: string;
  /** Set for the step that uploads files: what later nodes demand of them. */
  demands?: FileDemand[];
}

/** A node's requirement for the source files of assets. */
export interface FileDemand {
  node: string;
  /** The requirement. Only the feature of the node reads it. */
  needs: Json;
  /** Conditions; the requirement applies to assets that meet all of them. */
  when: string[];
}

/** Source of an asset of a run: a file, or an object of the platform. */
export interface AssetSource extends CellSource, RowSource {
  /** Path relative to the connector's root, with forward slashes; or the name of a platform object. */
  path: string;
  /** Platform id of an object that existed on the platform before the run. */
  id?: string;
  /** 0 if the platform does not say. */
  bytes: number;
  /** Modification time, milliseconds since the epoch; 0 if the connector has none. */
  mtimeMs: number;
  /** Size with time, ETag, or a hash of what the platform shows. Equal tokens mean an unchanged source. */
  version: string;
  /** The files, if the source consists of several; `path` is then not a file path. Absent for a single file. */
  set?: SourceSet;
  /** Key of the row that names the file, if table rows are the assets. Several rows may name one file. */
  rowKey?: string;
}

export interface SourceSet {
  /** Name for people. */
  name: string;
  /** Files by purpose (a texture channel), as paths below the folder of the source. */
  files: Record<string, string>;
}

export interface Asset {
  key: string;
  source: AssetSource;
  platformIds: PlatformIds;
}

export interface StepAsset extends Asset {
  /** `wait` only: workflow time at which the asset entered the step, and its absolute deadline (ms). */
  enteredAtMs?: number;
  deadlineMs?: number;
  /** Results of earlier steps; only for side steps. */
  earlierResults?: EarlierResults;
  /** Only for an asset that represents others: the assets for which its work is done. */
  cells?: readonly Asset[];
}

export interface EarlierResults {
  /** The first few delivered files, since an input must stay small. */
  files: DeliveredFile[];
  filesTotal: number;
  warnings: string[];
}

/** A delivered file, without the output and the export that it belongs to. */
export interface TransferredOutput {
  key: string;
  /** Relative to the destination. */
  path: string;
  bytes: number;
  sha256: string;
  width: number;
  height: number;
  /** Share of the picture that differs from the picture it replaces, 0 to 1; absent if it replaces none. */
  change?: number;
  /** For an image made from the output: fingerprint of its options. Absent: the file is the output itself. */
  image?: string;
  /** For an image, or a picture with metadata: hash of the platform's picture from which it was made. */
  sourceHash?: string;
  metadata?: string;
  /** Path of the same file under a delivery that the pipeline no longer has. The file at this path must be deleted. */
  previousPath?: string;
  /** The file at `previousPath`; absent: the same bytes as this one. */
  previousContent?: { bytes: number; sha256: string };
  /** Other files to delete, delivered under the previous key of a moved source. Set on only one file of an asset. */
  obsoletePaths?: string[];
  /** For a withdrawn asset: `leaving` is being deleted or is deleted. Absent: the file is where it was delivered. */
  withdrawn?: 'archived' | 'leaving';
}

export interface DeliveredFile extends TransferredOutput {
  /** Id of the output that the file contains. */
  output: string;
  /** `Step.delivery` of the export (`fingerprintOf`), then `.` and a hash of the row values that it reads, if any. */
  delivery: string;
}

export interface Failure {
  key: string;
  node: string;
  code: string;
  message: string;
  attempts: number;
  /** Platform id of a refused source, if the source was selected by id. */
  sourceId?: string;
}

export type AssetResult =
  | {
      key: string;
      outcome: 'done';
      platformIds?: PlatformIds;
      files?: DeliveredFile[];
      /** Remarks about an asset that succeeded, for example that a texture was not used. */
      warnings?: string[];
    }
  | { key: string; outcome: 'pruned' }
  | {
      key: string;
      outcome: 'failed';
      code: string;
      message: string;
      attempts?: number;
      platformIds?: PlatformIds;
      /** Platform id fields that later runs must not reuse, because their resources are unusable. */
      forgetIds?: (keyof PlatformIds)[];
      /** The platform says that a resource which the asset names does not exist. */
      missing?: true;
    }
  /** The platform's work failed and may be restarted at the step to which `retry` points. */
  | { key: string; outcome: 'retry'; code: string; message: string; platformIds?: PlatformIds };
