import type { Refs } from './refs.ts';
import type { WithdrawalRules } from './withdrawal.ts';
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

/** Work before files are delivered; a production file needs the composition alone. */
export type MakingStage = 'source' | 'composition' | 'render' | 'sheet';
export type Stage = MakingStage | 'delivery';

/** Marks of the stages of a recipe: where two are equal, the same is made. */
export interface Stages extends Readonly<Record<MakingStage, string>> {
  /** Of each export, by its node. */
  deliveries: Readonly<Record<string, DeliveryStage>>;
  /** The recipe as versions before stages had it, under which their records are found. */
  before: string;
  /** Kinds of files that it delivers of each model; absent: none. */
  models?: readonly string[];
}

/** A stage, and all after it, is done again where what it made is older. */
export interface FreshnessRule {
  stage: Stage;
  olderThanMs: number;
}

export interface DeliveryStage {
  /** Of names, place and kind of its files. */
  mark: string;
  /** Name of the connector of its files, which may lead to another place than before. */
  connector: string;
}

export interface Plan {
  schema: typeof planSchema;
  /** sha256 (hex, first 16) of the plan without this field. */
  hash: string;
  /** Name of the pipeline as the file gives it. */
  pipeline: string;
  /** Stands for the name wherever Temporal shows one without a key; absent: the name itself. */
  alias?: string;
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
  /** Its stages; absent in plans of earlier versions. */
  stages?: Stages;
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
  /** Most assets in flight; absent in plans of before: the window alone decides. */
  inFlight?: number;
  /** How events of the platform start runs; absent: they do not. */
  intake?: EventRules;
  /** Deletes the old model and project of a changed file; absent: they stay. */
  supersede?: 'delete-after-success';
  /** How old what was made may be; absent: of any age. */
  freshness?: FreshnessRule[];
  /** What becomes of the files of products that are gone; absent: they stay. */
  withdrawn?: WithdrawalRules;
  /** Receivers of a notice when a run ends; absent: none. */
  notify?: NoticeTarget[];
  /** How many assets may fail before the run reacts; absent: all. */
  tolerate?: Tolerance;
  /** Its first assets, after which a run waits for approval; absent: it does not. */
  canary?: Canary;
  /** Folder below the destination in which each run leaves its report; absent: none does. */
  report?: string;
  /** Operations of the platform that the file names, by id; absent: none. */
  operations?: Record<string, NamedOperation>;
  /** Id of the workspace that its runs belong to; absent: where it was started from nobody could tell. */
  workspace?: string;
  /** The host whose workers have its folders; absent: a run finds out. */
  host?: string;
  /** Absent: the number of assets of a run decides. */
  priority?: PriorityName;
  /** Decisions of the planner with their reasons, one line each; printed by `renderline plan`. */
  route: string[];
}

/** How soon a run's work is taken up, beside that of other runs. */
export const priorities = ['urgent', 'normal', 'bulk'] as const;
export type PriorityName = (typeof priorities)[number];

/** How an operation is reached whose path the platform's document does not show. */
export interface NamedOperation {
  /** 'GET /path/{id}', below the base URL. */
  route: string;
  /** Form of the body, which the document does not show; absent: as the step assumes. */
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
  /** Takes objects that Renderline itself made, too. */
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

/** The first assets of a run, and the answer to the question if it may go on. */
export type CanaryProgress = { assets: number } & (
  | { state: 'running' | 'approved' | 'refused'; until: null }
  /** Until when it waits for an answer, ISO 8601. */
  | { state: 'waiting'; until: string }
);

/** A receiver of notices. Its secret is never here: the worker has it in its environment. */
/** Has `url` and `secretFrom`, or `format` and `urlFrom`. */
export interface NoticeTarget {
  url?: string | undefined;
  /** Name of the environment variable that holds the signing secret. */
  secretFrom?: string | undefined;
  format?: 'slack' | 'teams' | undefined;
  /** Name of the environment variable that holds the address of the channel. */
  urlFrom?: string | undefined;
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
  /** The step type by its name, which is that of its activity too. */
  activity: string;
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
   * Makes nothing, so it decides about nothing: an asset that it passes over goes on as if the step had not been there, and a
   * shard in which only such steps are left makes room for another. It is told of the work before it.
   */
  aside?: true;
  /** A failure here becomes a warning of its asset, which goes on. */
  onFailure?: 'ignore';
  /** How the cells of a colorway grid share its calls; absent: assets are no cells. */
  cells?: CellSharing;
  /** Done once for all views of an asset; absent: there are none, or each is worked on by itself. */
  allViews?: true;
  /** Set for waits: results that they hand on together cost a call for each colorway and view, so they gather for longer. */
  gathersCells?: true;
  /** Ids of the steps with which its activity goes on for the assets that it is done with; absent: with none. */
  chain?: string[];
  /** Set for exports: the mark of what they deliver, where and under which names. */
  delivery?: string;
  /** Set for the step that takes files up: slots that later nodes ask of the models. */
  slots?: SlotDemand[];
}

/** Slots that a node asks of the model of an asset for which all of the conditions hold. */
export interface SlotDemand {
  node: string;
  /** null: the rules of the asset's colorway, each of which needs a slot. */
  swapRules: SwapRule[] | null;
  when: string[];
}

/**
 * `once`: done once a model, for all of its colorways. `model`: the colorways of a model come in one call. `colorway`:
 * a call has models in one colorway.
 */
export type CellSharing = 'once' | 'model' | 'colorway';

/** Source of an asset, as the manifest lists it: a file, or an object of the platform. */
export interface AssetSource {
  /** Path relative to the connector's root, with forward slashes; the name of a platform object. */
  path: string;
  /** Platform id, of an object that was on the platform before the run. */
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
  /** Key of the asset that is viewed, which all of its views share. */
  of: string;
  /** Hash of the view's settings. */
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

/** Puts a material on slots of a model; the material is named by one of the two. */
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
      /** Names of its columns, by ours; absent: the file names them as we do. */
      columns?: Partial<Record<'model' | 'tag' | 'colorway' | 'slot' | 'material', string>>;
      /** Tags whose models the pipeline takes; absent where its models have none that are known. */
      tags?: string[];
    };

export interface SourceSet {
  /** Name for people. */
  name: string;
  /** Files by what each is for (a texture channel), as paths below the folder of the source. */
  files: Record<string, string>;
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
  /** Only of an asset that stands in for others: the assets for which its work is done. */
  cells?: readonly Asset[];
}

/** Work done for an asset before a step. */
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
  /** Part of the picture that is not as in the one that it takes the place of, 0 to 1; absent where there is none to compare with. */
  change?: number;
  /** Id of the output that it shows; absent in records of earlier versions. */
  output?: string;
  /** Mark of the delivery that it is of; absent in records of earlier versions. */
  delivery?: string;
  /** Of an image that was made of the output: mark of its options. Absent: it is the output itself. */
  image?: string;
  /** Of an image: hash of the picture that it was made of. */
  madeOf?: string;
  /** Path that it had in the same place, under a delivery that the pipeline has no more: the file there is to go. */
  was?: string;
  /**
   * Of a withdrawn asset: `archived` lies in the archive, `leaving` is being taken away, or is gone already. Absent: it lies there as
   * it was delivered.
   */
  withdrawn?: 'archived' | 'leaving';
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
