import type { DeliveryManifest } from './delivery-manifests.ts';
import type { CellSharing, CellSource, PlannedDimension } from './grid.ts';
import type { Json } from './json.ts';
import type { PlatformIds } from './platform-ids.ts';
import type { RenderQuota } from './render-quota.ts';
import type { RowSource, TablePlan } from './rows.ts';
import type { WithdrawalRules } from './withdrawal.ts';

// The plan: a compiled pipeline, as plain JSON, and the only thing that workflows know about it.

export type { Json } from './json.ts';

/** Version of this format. A worker refuses a plan of another version and mentions both versions. */
export const planSchema = 'renderline/ir/v1';

/** Where files come from or go to. Never contains secrets: connectors read them from the environment. */
export interface ConnectorSpec {
  type: string;
  /** Absolute path for a local folder. Other connectors have their own fields. */
  [field: string]: Json;
}

/** Work before files are delivered. A production file needs only the composition. */
export type WorkStage = 'source' | 'composition' | 'render' | 'sheet';
export type Stage = WorkStage | 'delivery';

/** Fingerprints of a recipe's stages. Equal fingerprints mean equal results. */
export interface Stages extends Readonly<Record<WorkStage, string>> {
  /** Delivery stages by the node of each export. */
  deliveries: Readonly<Record<string, DeliveryStage>>;
  /** Kinds of files that the pipeline delivers once per model. Absent if there are none. */
  models?: readonly string[];
}

/** If the result of the stage is older than this, the stage and all stages that need its result are repeated. */
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
  /** Replaces the pipeline's name wherever Temporal shows it unencrypted. If absent, the name itself is shown. */
  alias?: string;
  /** Base name of the file that was compiled, for people. */
  file: string;
  parameters: Record<string, Json>;
  connectors: Record<string, ConnectorSpec>;
  /** Where asset records, claims, intents and results are stored. */
  records: ConnectorSpec;
  /** Where the first export delivers to. `destination` in machine-readable output. Null without an export. */
  destination: ConnectorSpec | null;
  /** Hash of everything that determines the look and place of outputs. Assets of another recipe are processed again. */
  recipe: string;
  stages: Stages;
  discovery: {
    node: string;
    activity: string;
    config: Json;
    key: string | null;
    /** Lookups before a run creates anything: names in steps that all assets reach, and model properties. */
    lookUps?: NameLookup[];
    /** Dimensions that turn sources into assets, outermost first. If absent, each source is one asset. */
    grid?: PlannedDimension[];
    /** Set if keys or names of grid positions decide how outputs look, so that a renamed cell is made again. */
    readsCellNames?: boolean;
    rows?: TablePlan;
  };
  /** Steps in topological order. steps[0] is the root's own work on each asset. */
  steps: Step[];
  /** Maximum number of assets in one shard. `window` is the number of shards that may make calls at once. */
  shardSize: number;
  window: number;
  /** Maximum number of assets in flight. */
  inFlight: number;
  eventTrigger?: EventRules;
  /** Deletes the old model and project, or library item, of a changed file. If absent, they stay. */
  supersede?: 'delete-after-success';
  freshness?: FreshnessRule[];
  /** What happens to files of withdrawn products. If absent, they stay. */
  withdrawn?: WithdrawalRules;
  manifests?: DeliveryManifest[];
  notify?: NoticeTarget[];
  deadline?: Deadline;
  renderQuota?: RenderQuota;
  /** Number of assets that may fail before the run reacts. If absent, all may fail. */
  tolerate?: Tolerance;
  canary?: Canary;
  /** Folder below the destination for the report of each run. Absent means no report. */
  report?: string;
  /** Operations of the platform that the file declares, by id. Absent if there are none. */
  operations?: Record<string, NamedOperation>;
  /** Id of the workspace of its runs. Absent if it was unknown at the start. */
  workspace?: string;
  /** The host whose workers have the plan's local folders. If absent, each run finds it. */
  host?: string;
  /** Priority of the plan's runs. If absent, the number of assets of a run decides. */
  priority?: PriorityName;
  /** Decisions of the planner with their reasons, one line each. `renderline plan` prints them. */
  route: string[];
}

export const priorities = ['urgent', 'normal', 'bulk'] as const;
export type PriorityName = (typeof priorities)[number];

/** Route and body of an operation that the platform's reference does not show, as the pipeline file defines them. */
export interface NamedOperation {
  /** 'GET /path/{id}', below the base URL. */
  route: string;
  /** JSON template of the body. Defaults to the step's default body. */
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
  /** True to also include objects that Renderline itself created. */
  includesOwn: boolean;
}

/** When a run should have ended: a time after its start, or the first time of day after its start. */
export type Deadline =
  | { withinMs: number }
  /** `at`: minutes after midnight. */
  | { at: number; timezone: string };

export interface Tolerance {
  /** Number of failed assets, or the percentage of the assets that the run takes. */
  failures: number;
  of: 'count' | 'percent';
  onBreach: 'stop' | 'pause';
  /** Steps that start work on the platform. A run that stops does not start these steps. */
  submits: string[];
}

export interface Canary {
  /** Number of assets that a run takes through the whole pipeline before it starts the others. */
  assets: number;
  timeoutMs: number;
  /** Condition of the root node. Assets that fail it are not in the canary, since they provide nothing to approve. */
  when?: string;
}

export type CanaryProgress = { assets: number } & (
  | { state: 'running' | 'approved' | 'refused'; until: null }
  /** Deadline of the approval, ISO 8601. */
  | { state: 'waiting'; until: string }
);

/** A receiver of notices: `url` or `urlFrom` with `secretFrom`, or `format` with `urlFrom`. Only workers have secrets. */
export interface NoticeTarget {
  url?: string | undefined;
  /** Name of the environment variable with the signing secret. */
  secretFrom?: string | undefined;
  format?: 'slack' | 'teams' | undefined;
  /** Name of the environment variable with the address, which is a secret. */
  urlFrom?: string | undefined;
  on: string[];
  /** The person who may decide through a link in `waiting` notices, and the link's lifetime. */
  link?: { for: string; within: string } | undefined;
}

/** `call`: does work for many assets at once. `wait`: polls until assets have changed, and never writes. */
export type StepMode = 'call' | 'wait';

export interface Step {
  /** Unique in the plan: the node's id, or `<node>.<part>` if one node became several steps. */
  id: string;
  /** The node of the file that this step was built from. */
  node: string;
  /** Name of the step type, which is also the name of its activity. */
  activity: string;
  mode: StepMode;
  /** Ids of steps that must be done or skipped first. */
  parents: string[];
  /** CEL over the asset. The asset is skipped if it is false. Evaluated in the activity. */
  when: string | null;
  config: Json;
  /** `call`: maximum number of assets in one activity, or of groups of cells if cells share the step. */
  batch: number;
  /** Maximum duration of one attempt, milliseconds. `call`: without its waits for the rate limit. */
  startToCloseMs: number;
  /** Heartbeat timeout of an attempt. If null, the workflow's default applies. */
  heartbeatMs: number | null;
  /** `wait`: how long an asset may stay in this step. `call`: how long all attempts together may take. */
  timeoutMs: number;
  /** The step at which an asset is retried if this step requests a retry, and the maximum number of retries. */
  retry: { step: string; max: number } | null;
  /**
   * True for a step that creates nothing, such as a notice, and therefore blocks nothing. An asset that skips it
   * continues as if the step did not exist. A shard with only side steps left lets the run start another shard. The
   * step gets the results of earlier work (`SoFar`).
   */
  isSideStep?: true;
  /** Set for waits in which people decide. Receivers of `waiting` are notified once assets reach the step. */
  asksPeople?: true;
  /** Set if a failure of the step becomes a warning and the asset continues. */
  onFailure?: 'ignore';
  /** How grid cells share the step. If absent, the plan has no grid. */
  cells?: CellSharing;
  /** Set for a wait whose next steps make one call per combination of positions, so the wait batches longer. */
  batchesCells?: true;
  /** Ids of later steps that the step's activity also runs, for assets that are done. Absent if there are none. */
  chain?: string[];
  /** Set for exports: fingerprint of what they deliver, where, and under which names. */
  delivery?: string;
  /** Set for the step that uploads files: the demands of later nodes on these files. */
  demands?: FileDemand[];
}

/** A node's requirement for the source files of assets. */
export interface FileDemand {
  node: string;
  /** The requirement. Only the feature of the node reads it. */
  needs: Json;
  /** Conditions. The requirement applies to assets that meet all of them. */
  when: string[];
}

/** Source of an asset of a run: a file, or an object on the platform. */
export interface AssetSource extends CellSource, RowSource {
  /** Path relative to the connector's root, with forward slashes, or the name of a platform object. */
  path: string;
  /** Platform id of an object that existed on the platform before the run. */
  id?: string;
  /** 0 if the platform does not report it. */
  bytes: number;
  /** Modification time, milliseconds since the epoch. Zero if the connector has none. */
  mtimeMs: number;
  /** Size with time, ETag, or a hash of what the platform shows. Equal tokens mean that the source is unchanged. */
  version: string;
  /** The files, if the source consists of several. `path` is then not a file path. Absent for a single file. */
  set?: SourceSet;
  /** Key of the row with the file, if table rows are the assets. Several rows may have the same file. */
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
  /** Results of earlier steps. Set only for side steps. */
  earlierResults?: EarlierResults;
  /** Only for an asset that represents others: the assets that its work is done for. */
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
  /** Path relative to the destination. */
  path: string;
  bytes: number;
  sha256: string;
  width: number;
  height: number;
  /** Share of the picture that differs from the picture it replaces, 0 to 1. Absent if it replaces none. */
  change?: number;
  /** For an image derived from the output: fingerprint of its options. Absent if the file is the output itself. */
  image?: string;
  /** For an image, or a picture with metadata: hash of the platform's picture that it was created from. */
  sourceHash?: string;
  metadata?: string;
  /** Path of this file, or of the one that it replaces, before its name changed. That file must be deleted. */
  previousPath?: string;
  /** The file at `previousPath`. If absent, its bytes are the same as those of this file. */
  previousContent?: { bytes: number; sha256: string };
  /** Other files to delete, delivered under the previous key of a moved source. Set on only one file of an asset. */
  obsoletePaths?: string[];
  /** For a withdrawn asset: `leaving` is being deleted or is deleted. Absent if the file is where it was delivered. */
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
      /** Set if the platform says that a resource which the asset refers to does not exist. */
      missing?: true;
    }
  /** The platform's work failed and may be restarted at the step that `retry` points to. */
  | { key: string; outcome: 'retry'; code: string; message: string; platformIds?: PlatformIds };
