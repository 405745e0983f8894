// The plan: what a pipeline file compiles to and the only thing that workflows know.
// Plain JSON, so it can be printed, hashed, compared and carried in a workflow's input.

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Version of this representation; a worker refuses a plan of another version by name. */
export const planSchema = 'renderline/ir/v1';

/** Where files come from or go to. Secrets are never in it: connectors read them from the environment. */
export interface ConnectorSpec {
  type: string;
  /** Local folder: absolute path. Others: their own fields. */
  [field: string]: Json;
}

export interface Plan {
  schema: typeof planSchema;
  /** sha256 (hex, first 16) of the plan without this field. */
  hash: string;
  /** Name of the pipeline as the file gives it. */
  pipeline: string;
  /** Base name of the file it was compiled from; for people. */
  file: string;
  parameters: Record<string, Json>;
  connectors: Record<string, ConnectorSpec>;
  /** Where asset records, claims, intents and results live. */
  records: ConnectorSpec;
  /** Where `export` delivers to; what `destination` in machine output says. null without an export. */
  destination: ConnectorSpec | null;
  /** Hash of everything that decides what an output looks like; a changed recipe redoes an asset. */
  recipe: string;
  /** Configuration of the root node's discovery. */
  discovery: {
    node: string;
    activity: string;
    config: Json;
    key: string | null;
    /** Steps whose names on the platform are looked up before anything is made: all assets come to them. */
    lookUps?: LookUp[];
    /** Each model becomes an asset in each of its colorways; absent: models are assets. */
    colorways?: ColorwaySpec;
    /** Each asset becomes one in each of these views; absent: it does not. */
    views?: Pick<ViewCell, 'name' | 'mark'>[];
  };
  /** In topological order; steps[0] is the root's own work on each asset. */
  steps: Step[];
  /** Assets in one shard, and shards in flight at once. */
  shardSize: number;
  window: number;
  /** How events of the platform start runs; absent: they do not. */
  intake?: EventRules;
  /** What becomes of the old model and project of a changed file; absent: they stay. */
  supersede?: 'delete-after-success';
  /** Who is told how a run ended; absent: nobody. */
  notify?: NoticeTarget[];
  /** How many assets may fail before the run reacts; absent: all. */
  tolerate?: Tolerance;
  /** Its first assets, after which a run waits for approval; absent: it does not. */
  canary?: Canary;
  /** Operations of the platform that the file names, by id; absent: none. */
  operations?: Record<string, NamedOperation>;
  /** Id of the workspace that its runs belong to; absent: where it was started from nobody could tell. */
  workspace?: string;
  /** What the planner chose and why, one line each; printed by `renderline plan`. */
  route: string[];
}

/** How an operation is reached whose path the platform's document does not show. */
export interface NamedOperation {
  /** 'GET /path/{id}', below the base URL. */
  route: string;
  /** What the document does not show of it; absent: as the step assumes. */
  body?: Json;
}

/** Events of the platform that a pipeline can begin with. */
export const beginningEvents = ['model.processed', 'project.created', 'render.complete'] as const;

export type LookUp = Pick<Step, 'node' | 'activity' | 'config'>;

/** When events of the platform start runs. */
export interface EventRules {
  event: (typeof beginningEvents)[number];
  /** Events gather for so long, or until there are so many. */
  gatherMs: number;
  batchSize: number;
  /** Time between two looks for what no event told of. */
  sweepMs: number;
  /** A look goes so far behind the one before: what was made then may have shown only since. */
  lookBackMs: number;
  /** Also for what Renderline itself made. */
  own: boolean;
}

export interface Tolerance {
  /** Assets, or percent of those that the run takes. */
  failures: number;
  of: 'count' | 'percent';
  onBreach: 'stop' | 'pause';
  /** Steps that have the platform begin something; a run that stops starts none of them. */
  submits: string[];
}

export interface Canary {
  /** Assets that a run takes through the whole pipeline before it begins the others. */
  assets: number;
  /** How long it then waits for approval. */
  timeoutMs: number;
}

/** The first assets of a run, and what became of asking whether it may go on. */
export type CanaryProgress = { assets: number } & (
  | { state: 'running' | 'approved' | 'refused'; until: null }
  /** Until when it waits for an answer, ISO 8601. */
  | { state: 'waiting'; until: string }
);

/** A receiver of notices. Its secret is never here: the worker has it in its environment. */
export interface NoticeTarget {
  url: string;
  /** Name of the environment variable that holds the signing secret. */
  secretFrom: string;
  /** Outcomes that it is told of. */
  on: string[];
}

/** `call`: does work for many assets at once. `wait`: looks until assets have changed; never writes. */
export type StepMode = 'call' | 'wait';

export interface Step {
  /** Unique in the plan: the node's id, or `<node>.<part>` where one node became several steps. */
  id: string;
  /** The node of the file that this step came from. */
  node: string;
  /** Activity type, which is a node type. */
  activity: StepActivityName;
  mode: StepMode;
  /** Ids of steps that must be done (or passed over) first. */
  parents: string[];
  /** CEL over the asset; false passes the asset over. Evaluated in the activity. */
  when: string | null;
  config: Json;
  /** Most assets in one activity. */
  batch: number;
  /** Longest single attempt, milliseconds. */
  startToCloseMs: number;
  /** Longest silence of an attempt; null: the workflow's default. */
  heartbeatMs: number | null;
  /** `wait`: how long an asset may stay in this step. `call`: how long all attempts may take together. */
  timeoutMs: number;
  /** Where an asset goes again when this step answers `redo`, and how many times. */
  redo: { step: string; max: number } | null;
  /**
   * Makes nothing, so it decides about nothing: what it passes over goes on as if it had not been there, and a
   * shard in which only such steps are left makes room for another. It is told what was done so far.
   */
  aside?: true;
  /** What fails here is a warning of its asset, which goes on. */
  onFailure?: 'ignore';
  /** How the cells of a colorway grid share its calls; absent: assets are no cells. */
  cells?: CellSharing;
  /** Done once for all views of an asset; absent: there are none, or each is worked on by itself. */
  allViews?: true;
  /** Of a wait: what it hands on together costs a call for each colorway and view, so it gathers for longer. */
  gathersCells?: true;
}

/**
 * `once`: done once a model, for all of its colorways. `model`: the colorways of a model come in one call. `colorway`:
 * a call has models in one colorway.
 */
export type CellSharing = 'once' | 'model' | 'colorway';

/** One per node type that works on assets, equal to the YAML type, and one per part that only a plan names. */
export const stepActivityNames = [
  'connector_poll',
  'model_ready',
  'template_match',
  'project_created',
  'render',
  'render_complete',
  'export',
  'variants_before',
  'colorway_batch',
  'colorway_complete',
  'colorway_variant',
  'variant',
  'project_variants',
  'production_export',
  'production_complete',
  'set_properties',
  'library_import',
  'library_complete',
  'notify',
] as const;
export type StepActivityName = (typeof stepActivityNames)[number];

/** What an asset was made of, as the manifest lists it: a file, or an object of the platform. */
export interface AssetSource {
  /** Path relative to the connector's root, with forward slashes; the name of a platform object. */
  path: string;
  /** Platform id; only of what was on the platform before the run. */
  id?: string;
  /** 0 where the platform does not say. */
  bytes: number;
  /** Modification time, milliseconds since the epoch; 0 where the connector has none. */
  mtimeMs: number;
  /** Size with time, ETag, or a hash of what the platform shows; equal tokens mean an unchanged source. */
  version: string;
  /** Only of a source that several files make up together; its path is no file's then. */
  set?: SourceSet;
  /** Only of a cell of a colorway grid: the source is that of its model. */
  colorway?: ColorwayCell;
  /** Only of one view among several: the source is that of the asset which is viewed. */
  view?: ViewCell;
}

/** An asset in one of its views. */
export interface ViewCell {
  /** Name of the view. */
  name: string;
  /** Key of what is viewed, which all of its views share. */
  of: string;
  /** Hash of what the view looks like. */
  mark: string;
}

/** A model in one of its colorways. */
export interface ColorwayCell {
  /** Name of the colorway. */
  name: string;
  /** Key of the model, which all of its colorways share. */
  model: string;
  rules: SwapRule[];
}

/** Which material goes on which slots of a model; the material is named by one of the two. */
export interface SwapRule {
  matchText: string;
  matchMode: 'exact' | 'contains';
  material?: string | undefined;
  materialId?: string | undefined;
}

/** The colorways that models get, as the pipeline file says. */
export type ColorwaySpec =
  | { from: 'list'; colorways: { name: string; rules: SwapRule[]; where: string | null }[] }
  | {
      from: 'table';
      connector: string;
      path: string;
      matchMode: SwapRule['matchMode'];
      /** Tags whose models the pipeline takes; absent where its models have none that are known. */
      tags?: string[];
    };

export interface SourceSet {
  /** What people call it. */
  name: string;
  /** Files by what each is for (a texture channel), as paths below the folder of the source. */
  files: Record<string, string>;
}

/** A still or video that a render job made. No signed address ever stands here. */
export interface OutputRef {
  id: string;
  name: string;
  fileType: string;
  /** Direct unsigned address; absent when the platform only gave a signed one. */
  url?: string;
  isVideo: boolean;
  isPreview: boolean;
}

/** The colorway that is being made of an asset's model. */
export interface ColorwayRef {
  /** Variants that the model had before, as marks: what is not among them is new. */
  before: string;
  /** Hash of the rules of its cell of a grid. */
  cell?: string;
  /** Empty where its answer was lost, and a new variant tells that it was made. */
  batchId?: string;
  /** Times that its job was started again. */
  tries?: number;
  /** The job failed and waits for its retry. */
  failedJobId?: string;
  /** The job that made it; only for who looks for it. */
  jobId?: string;
  /** What the platform said about the model when it made the batch. */
  warning?: string;
}

/** The production file of an asset: being made, made or failed. Its signed link never stands here. */
export interface SheetRef {
  exportId?: string;
  fileId?: string;
  /** Number and version, `PF-00012-v3`. */
  name?: string;
  /** Why the platform made none. */
  failure?: string;
}

/** What became of a notice about an asset. */
export interface Delivery {
  /** `webhook-id`: the same for all assets of the notice and for every attempt. */
  id: string;
  /** Of the last answer; null where there was none. */
  status: number | null;
  attempts: number;
  /** Of the last attempt, ISO 8601. */
  at: string;
  /** Hash of what was told of; the same is not told twice. */
  about: string;
}

/** What the platform gave us for an asset so far. Small: it travels in every activity input. */
export interface Refs {
  modelId?: string;
  /** What in its file decides how often the model is drawn: counts of variants and animations. Absent where nobody looked. */
  drawn?: string;
  templateId?: string;
  projectId?: string;
  /** Category that the pipeline gave the model. */
  category?: string;
  /** Item of the library that its file became; only one of the three. */
  propId?: string;
  decalId?: string;
  materialId?: string;
  /** The confirm of its library item said that nothing is left to wait for. */
  itemReady?: boolean;
  /** The project was made by this run with exactly one render job, so the render list can be trusted. */
  ownProject?: boolean;
  jobId?: string;
  /** Mark of what decides how many outputs the job has; absent where only the job itself can tell. */
  alike?: string;
  /** Empty where the job was started again without an answer to us: no operation tells its batch then. */
  batchId?: string;
  /** Platform clock when the job was created, ISO 8601. */
  submittedAt?: string;
  /** Times the platform's failed work was started again. */
  retries?: number;
  /** Words for work that may have been done twice; a step's result says them and lets go of them. */
  perhapsTwice?: string;
  colorway?: ColorwayRef;
  /** Ids of the variants that were chosen: what `render` draws. */
  variants?: string[];
  /** Mark of the variants that were added to a project that was there before them. */
  added?: string;
  /** Name of the chosen variant, where there is exactly one. */
  variantName?: string;
  /** Bookmark and shot that the render asked for, where it asked for exactly one. */
  bookmark?: string;
  shot?: string;
  sheet?: SheetRef;
  /** The render job failed and waits for its retry. */
  failedJob?: boolean;
  outputs?: OutputRef[];
  /** By the node that told. */
  notices?: Record<string, Delivery>;
  /** A run that did not come to its end had begun to take its file up: records that it has made are filled. */
  begun?: true;
  /** When the platform has last made something for the asset, ms: it may not show everywhere yet. */
  madeAtMs?: number;
  /** Refs that named what was not there though it had been made: the next run looks again before it does without. */
  missing?: (keyof Refs)[];
}

export interface Asset {
  key: string;
  source: AssetSource;
  refs: Refs;
}

/** An asset as an activity receives it. */
export interface StepAsset extends Asset {
  /** `wait` only: workflow time at which the asset entered the step, and its absolute deadline (ms). */
  enteredAtMs?: number;
  deadlineMs?: number;
  /** Steps `aside` only. */
  soFar?: SoFar;
}

/** What was done for an asset before a step. */
export interface SoFar {
  /** The first few; an input has room for no more. */
  files: DeliveredFile[];
  filesTotal: number;
  warnings: string[];
}

export interface DeliveredFile {
  key: string;
  /** Relative to the destination. */
  path: string;
  bytes: number;
  sha256: string;
  width: number;
  height: number;
}

export interface Failure {
  key: string;
  node: string;
  code: string;
  message: string;
  attempts: number;
}

export type AssetResult =
  | {
      key: string;
      outcome: 'done';
      refs?: Refs;
      files?: DeliveredFile[];
      /** Worth saying, though nothing failed: a texture that did not come along. */
      warnings?: string[];
    }
  | { key: string; outcome: 'pruned' }
  | {
      key: string;
      outcome: 'failed';
      code: string;
      message: string;
      attempts?: number;
      refs?: Refs;
      /** Refs that a later run must not build on, because the platform gave them up. */
      forget?: (keyof Refs)[];
      /** The platform says that something which the asset names is not there. */
      missing?: true;
    }
  /** The platform's work failed and may be started again at the step's `redo` target. */
  | { key: string; outcome: 'redo'; code: string; message: string; refs?: Refs };
