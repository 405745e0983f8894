// The interface of node types. Checker, compiler, worker, docs and JSON schema use only this interface and have no
// special cases for single types.
import type { z } from 'zod';
import type { OperationRow } from '../api/contract/operation.ts';
import type { RequestedField } from '../language/naming/naming.ts';
import type { DeliveryManifest } from '../plan/delivery-manifests.ts';
import type { AssetResult, EventRules, Json, Stage, StepAsset, StepMode } from '../plan/types.ts';
import type { Lister } from '../store/discovery/listed-source.ts';
import type { SourceIdentity } from '../store/discovery/moves/moved-sources.ts';
import type { StepCost } from './cost/step-cost.ts';
import type { ListDeps } from './discovery/list-deps.ts';
import type { NameLookUpDeps } from './discovery/name-look-up-deps.ts';
import type { NodeDimension } from './grid/dimension.ts';
import type { NodeContext } from './node-context.ts';

/** Resources that nodes create and need. The resources that a node needs must be created by its ancestors. */
export type Resource =
  | 'model'
  | 'ready model'
  | 'choice of variants'
  | 'template'
  | 'project'
  | 'render'
  | 'finished render'
  | 'library item';

export interface StepProfile {
  /** Maximum number of assets in one activity. */
  batch: number;
  /** Maximum duration of a single attempt. */
  startToClose: string;
  /** Heartbeat timeout. Set only for long attempts. */
  heartbeat?: string;
  /** Default of the node's `timeout`. */
  timeout: string;
}

/** One step that a node compiles to. `part` is empty for the node's own step. */
export interface StepDraft {
  part: string;
  activity: string;
  mode: StepMode;
  config: Json;
  profile: StepProfile;
  /** Step of the same node to repeat if the platform's work has failed. */
  retryAt?: { node: string; part: string };
  onFailure?: 'ignore';
}

/** What a node type can find out about the node's surroundings while the node is compiled to steps. */
export interface CompileScope {
  node: string;
  /** Creates the draft of the node's own step with this configuration. */
  readonly own: (config: unknown) => StepDraft;
  /** Types of the node's parents. */
  readonly parentTypes: readonly string[];
  /** True if the pipeline starts with this node. */
  isRoot: boolean;
  /** True if every asset that reaches this node has already passed a node of this type. */
  hasAncestor(type: string): boolean;
  /** True if every path from this node reaches this type of node before any node that needs what the type creates. */
  hasDescendant(type: string): boolean;
  /** True if some assets may already have this resource when they reach this node. */
  mayHave(resource: Resource): boolean;
  /** Returns the only ancestor node of this type, or null if there is none or more than one. */
  nearestAncestor(type: string): string | null;
  /** Returns the configurations of all ancestors of this type that assets may have passed. */
  configsBefore(type: string): unknown[];
  /** True if a later node uses this field in file names. */
  isNamedAfter(field: RequestedField): boolean;
}

/** An option of a node that conflicts with the nodes before it. */
export interface OptionConflict {
  severity: 'error' | 'warning';
  /** Path of the option in the configuration. */
  path: readonly (string | number)[];
  message: string;
  /** How a person can fix the problem, as a sentence. */
  fix: string;
}

/** A configuration in which references to channels have been replaced with their options. */
export interface ConfigCompletion {
  config: Readonly<Record<string, Json>>;
  problems: readonly ConfigProblem[];
}

export interface ConfigProblem {
  /** Path of the value in the configuration. */
  path: readonly (string | number)[];
  /** What is wrong, as the end of a sentence that starts with the path. */
  message: string;
  fix: string;
}

/** How a node type works as the root of a pipeline. */
export interface RootRole<Config> {
  readonly from: 'files' | 'platform';
  /**
   * Config fields that select the sources of a root. A root sets exactly one of them, and a node with parents sets
   * none. Empty for a type that is always a root.
   */
  readonly by: readonly string[];
  /** A node with parents may also set the fields of `by`, but is not a root. */
  readonly alsoAfterParents?: true;
  /** Resources that assets have at the start, or all possible ones if `config` is null because it is invalid. */
  providedResources(config: Config | null): readonly Resource[];
  /** Returns how events start runs. Null if events do not start runs of this configuration. */
  eventTrigger?(config: Config): Omit<EventRules, 'batchSize'> | null;
  /** For a root that lists files, returns the connector of the files and a filter by path. */
  files?(config: Config): { connector: string; takes: (path: string) => boolean };
  /** Returns the table whose rows are the assets, with its file column's heading. Null if assets are not rows. */
  listedBy?(config: Config): { table: string; file: string } | null;
  /** Returns the identity of a source across runs. By default, this is the asset key. */
  identity?(config: Config): SourceIdentity;
  /** Returns the category of the models that the node creates. Null if the configuration contains none. */
  category?(config: Config): string | null;
  /** Lists the sources, one asset each. */
  list(config: Config, context: ListDeps): Lister;
}

interface StepFacts<Config extends z.ZodType> {
  readonly type: string;
  readonly config: Config;
  /** For waits: the end of a sentence such as `3 wait for the platform to render`. */
  readonly waitsFor?: string;
  /** Set for waits in which people decide. */
  readonly asksPeople?: true;
  /** Set for types that start work on the platform: uploads, renders and everything else that costs. */
  readonly submits?: true;
  /** `models`: a call contains all cells of a model. @default cells that are the same along all dimensions so far */
  readonly callsHold?: 'models';
  /**
   * Stage that the step belongs to. The step does nothing for assets that have finished the stage. If absent, the step
   * always runs, and a change to its recipe requires a new composition, unless the node type has `describes`.
   */
  readonly stage?: Stage;
  /** Costs for `renderline plan`. @default no requests and no platform time */
  readonly cost?: StepCost;
  /** Describes in one line how the step works, for `renderline plan`. @param batch maximum number of assets per call */
  route(config: z.output<Config>, batch: number): string;
  /**
   * Looks up the platform objects in the configuration, before a run creates anything.
   * @throws RunCauseError for a name that does not exist or is ambiguous
   */
  lookUp?(config: z.output<Config>, context: NameLookUpDeps): Promise<void>;
  /** Set for types that upload files and check what later nodes demand of these files. */
  readonly checksDemands?: true;
  /**
   * Reads data that the configuration refers to, such as the rows of a table, to estimate the cost.
   * @returns fields that replace those of the configuration
   * @throws RunCauseError if the data cannot be read, which another check reports
   */
  readForCost?(
    config: z.output<Config>,
    context: Pick<NameLookUpDeps, 'getConnector'>,
  ): Promise<Readonly<Record<string, Json>>>;
  /** Returns what the type demands of source files, or null. Only the type's feature reads this. @default null */
  fileNeeds?(config: z.output<Config>): Json | null;
}

/** A type of step. A worker executes such a step as an activity. */
export interface StepType<Config extends z.ZodType = z.ZodType> extends StepFacts<Config> {
  readonly mode: StepMode;
  readonly profile: StepProfile;
  /** Makes one attempt for many assets. A wait returns the results that are ready, a call one result per asset. */
  run(config: z.output<Config>, assets: StepAsset[], context: NodeContext): Promise<AssetResult[]>;
}

/** `mode`, `profile` and `run` are absent for a type that only makes demands on files. */
export interface NodeType<Config extends z.ZodType = z.ZodType>
  extends StepFacts<Config>,
    Partial<Pick<StepType<Config>, 'mode' | 'profile' | 'run'>> {
  /** Summary of the type on one line, for lists. */
  readonly summary: string;
  /** When to use the type and what it does, as one screen of Markdown. */
  readonly docs: string;
  /** A complete pipeline file, which the tests compile. */
  readonly example: string;
  /** How the type works as a root. Absent for types that cannot start a pipeline. */
  readonly root?: RootRole<NoInfer<z.output<Config>>>;
  readonly needs: readonly Resource[];
  /** Returns the resources that this configuration needs. Replaces `needs`. */
  needsFor?(config: z.output<Config>): readonly Resource[];
  readonly gives: readonly Resource[];
  /** Set for types that write files to a connector at the end of the pipeline. */
  readonly delivers?: true;
  /**
   * Set for types that only describe the work of other nodes, such as property values. A change to their recipe repeats
   * only their own work, but on all assets.
   */
  readonly describes?: true;
  /** Set for side steps: neither they nor their `when` affect the path of an asset or its outputs. */
  readonly isSideStep?: true;
  /** Resources that must not exist before this node, because the node's work would come too late for them. */
  readonly comesBefore?: readonly Resource[];
  /** Exception to `comesBefore`: the file defines this operation, and the resource `unlessThere` does not exist yet. */
  readonly lateBy?: { readonly operation: OperationRow; readonly unlessThere: Resource };
  /** Config fields that affect the output. They are part of the recipe. */
  readonly recipe: readonly string[];
  /** Config fields that are part of the recipe only if they are set. */
  readonly optionalRecipe?: readonly string[];
  /** Returns the kinds of files that the node delivers once per model, for all its cells. Empty for other exports. */
  modelFiles?(config: z.output<Config>): readonly string[];
  /** Returns recipe data other than config fields, or null if there is none. Null leaves the recipe unchanged. */
  extraRecipe?(config: z.output<Config>): Json | null;
  /** Replaces references to `channels:` (in the file or the settings) before the configuration is checked. */
  complete?(
    config: Readonly<Record<string, Json>>,
    channels: Readonly<Record<string, Json>>,
  ): ConfigCompletion;
  /** Finds options that conflict with ancestors of the node, as far as the file shows this. */
  findConflicts?(
    config: z.output<Config>,
    scope: Pick<CompileScope, 'configsBefore' | 'parentTypes'>,
  ): readonly OptionConflict[];
  /** Returns the part of the configuration that affects production files. Null if the node delivers none. */
  sheet?(config: z.output<Config>): Json | null;
  /**
   * Returns the manifest of the delivered files, which is written when a run ends. Null if there is none.
   * @param columns names of the table columns that the pipeline reads
   */
  manifest?(
    config: z.output<Config>,
    columns: readonly string[],
  ): Omit<DeliveryManifest, 'node' | 'delivery' | 'connector'> | null;
  /** File name fields that the node defines. */
  readonly namingFields?: {
    readonly fields: readonly RequestedField[];
    /** True if the field has exactly one value, otherwise the reason. Null if the node does not affect the field. */
    of(config: z.output<Config>, field: RequestedField): true | string | null;
  };
  /** Dimensions of a grid. The node creates an asset for each of their positions, outermost dimension first. */
  readonly dimensions?: readonly NodeDimension<NoInfer<z.output<Config>>>[];
  /** Maximum `timeout`, if it is less than 30 days. */
  readonly maxTimeout?: string;
  /** Returns the steps that the node compiles to. By default, only its own step. */
  steps?(config: z.output<Config>, scope: CompileScope): StepDraft[];
}

/** A node type with a step of its own. */
export type StepNodeType<Config extends z.ZodType = z.ZodType> = NodeType<Config> &
  Pick<StepType<Config>, 'mode' | 'profile' | 'run'>;

/** False for a type that only makes demands on files. */
export function hasOwnStep(type: NodeType): type is StepNodeType {
  return type.run !== undefined;
}

/** Defines a step type that nodes compile to in addition to their own step. */
export function defineStep<Config extends z.ZodType>(step: StepType<Config>): StepType<Config> {
  return step;
}

/** Drafts a step of a node. @param part empty for the node's own step @throws TypeError for a type without a step */
export function createDraft(
  part: string,
  { type, mode, profile }: Pick<NodeType, 'type' | 'mode' | 'profile'>,
  config: unknown = {},
): StepDraft {
  if (mode === undefined || profile === undefined) throw new TypeError(`${type} has no step`);
  return { part, activity: type, mode, config: JSON.parse(JSON.stringify(config)), profile };
}

export function defineNode<Config extends z.ZodType>(node: StepNodeType<Config>): NodeType<Config> {
  return node;
}

/** Defines a node type that compiles to no step: the upload checks the node's demands on files (`fileNeeds`). */
export function defineFileRules<Config extends z.ZodType>(
  node: Omit<NodeType<Config>, keyof StepType | 'steps'> &
    Pick<NodeType<Config>, 'type' | 'config' | 'route' | 'fileNeeds'>,
): NodeType<Config> {
  return node;
}
