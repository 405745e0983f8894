// The interface of node types. A node type is one self-describing file: checker, compiler, worker, docs and JSON schema
// read this interface and have no special cases for single types.
import type { z } from 'zod';
import type { OperationRow } from '../api/contract/operation.ts';
import type { RequestedField } from '../language/naming/naming.ts';
import type { DeliveryManifest } from '../plan/delivery-manifests.ts';
import type { AssetResult, EventRules, Json, Stage, StepAsset, StepMode } from '../plan/types.ts';
import type { Lister } from '../store/discovery/lister.ts';
import type { SourceIdentity } from '../store/discovery/moves/moved-sources.ts';
import type { StepCost } from './cost/step-cost.ts';
import type { ListContext } from './discovery/list-context.ts';
import type { NameContext } from './discovery/name-context.ts';
import type { NodeDimension } from './grid/dimension.ts';
import type { NodeContext } from './node-context.ts';

/** Resources that flow from node to node. What a node needs must be given by its ancestors. */
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
  /** Heartbeat timeout; only for long attempts. */
  heartbeat?: string;
  /** Default of the node's `timeout`. */
  timeout: string;
}

/** One step that a node compiles to; `part` is empty for the node's own step. */
export interface StepDraft {
  part: string;
  activity: string;
  mode: StepMode;
  config: Json;
  profile: StepProfile;
  /** Step of the same node to repeat if the platform's work failed. */
  retryAt?: { node: string; part: string };
  onFailure?: 'ignore';
}

/** The pipeline around a node, as far as the node may use it while it is compiled to steps. */
export interface CompileScope {
  node: string;
  readonly own: (config: unknown) => StepDraft;
  /** Types of the nodes directly before it. */
  readonly parentTypes: readonly string[];
  /** The pipeline starts with this node. */
  isRoot: boolean;
  /** True if every asset has passed a node of this type before it reaches this node. */
  hasAncestor(type: string): boolean;
  /** True if every path after this node has a node of this type before any node that needs what such a node gives. */
  hasDescendant(type: string): boolean;
  /** True if some asset may already have this resource when it reaches this node. */
  mayHave(resource: Resource): boolean;
  /** The ancestor node of this type; null unless there is exactly one. */
  nearestAncestor(type: string): string | null;
  /** Configurations of all nodes of this type that assets may have passed. */
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
  /** How a person can fix it, a sentence. */
  fix: string;
}

/** A configuration with what it names filled in. */
export interface ConfigCompletion {
  config: Readonly<Record<string, Json>>;
  problems: readonly ConfigProblem[];
}

export interface ConfigProblem {
  /** Path of the value in the configuration. */
  path: readonly (string | number)[];
  /** Continues the path. */
  message: string;
  fix: string;
}

/** How a node type starts a pipeline. */
export interface RootRole<Config> {
  readonly from: 'files' | 'platform';
  /**
   * Config fields that select what a root takes: a root has one of them, a node with parents none. Empty for a type that
   * is always a root.
   */
  readonly by: readonly string[];
  /** The fields of `by` also belong to a node with parents, which then begins nothing. */
  readonly alsoAfterParents?: true;
  /** Resources that assets have at the start. `config` is null if it is invalid; then all possible ones. */
  brings(config: Config | null): readonly Resource[];
  /** How events start runs; null if this configuration is not triggered by events. */
  eventTrigger?(config: Config): Omit<EventRules, 'batchSize'> | null;
  /** For a root of files: their connector, and a filter by path. */
  files?(config: Config): { connector: string; takes: (path: string) => boolean };
  /** The table whose rows are the assets, and the heading of the column that names their files; null: assets come from elsewhere. */
  listedBy?(config: Config): { table: string; file: string } | null;
  /** What identifies a source across runs; absent: its key. */
  identity?(config: Config): SourceIdentity;
  /** Category of the models that it creates; null if the configuration names none. */
  category?(config: Config): string | null;
  /** Lists the sources, one asset each. */
  list(config: Config, context: ListContext): Lister;
}

/** What steps and node types have in common. */
interface StepFacts<Config extends z.ZodType> {
  readonly type: string;
  readonly config: Config;
  /** For waits: what is waited for, as in `3 wait for the platform to render`. */
  readonly waitsFor?: string;
  /** Set for waits in which people decide. */
  readonly asksPeople?: true;
  /** Set for types that start work on the platform: uploads, renders and everything else that costs. */
  readonly submits?: true;
  /** `models`: a call of the step has all cells of a model. @default cells that are the same along all dimensions so far */
  readonly callsHold?: 'models';
  /**
   * Stage that the step belongs to. If an asset has finished that stage, the step does nothing. Absent: the step always
   * runs, and a change of its recipe makes another composition unless its node type `describes`.
   */
  readonly stage?: Stage;
  /** Costs for `renderline plan`. @default no requests and no platform time */
  readonly cost?: StepCost;
  /** One line for `renderline plan` that describes how the work is done. @param batch maximum number of assets in one call */
  route(config: z.output<Config>, batch: number): string;
  /**
   * Looks up on the platform what the configuration names, before a run creates anything.
   * @throws RunCauseError for a name that does not exist or is ambiguous
   */
  lookUp?(config: z.output<Config>, context: NameContext): Promise<void>;
  /** Set for types that upload files and check what later nodes demand of them. */
  readonly checksDemands?: true;
  /**
   * Reads what the configuration refers to, such as the rows of a table, for the estimate of the cost.
   * @returns fields that replace those of the configuration
   * @throws RunCauseError if it cannot be read, which another check reports
   */
  readForCost?(
    config: z.output<Config>,
    context: Pick<NameContext, 'connectorNamed'>,
  ): Promise<Readonly<Record<string, Json>>>;
  /** What it demands of the files of assets; null for nothing. Only its feature reads it. @default null */
  fileNeeds?(config: z.output<Config>): Json | null;
}

/** A worker's view of a step's activity. */
export interface StepType<Config extends z.ZodType = z.ZodType> extends StepFacts<Config> {
  readonly mode: StepMode;
  readonly profile: StepProfile;
  /** One attempt for many assets. A wait returns the results that are ready; a call returns a result per asset. */
  run(config: z.output<Config>, assets: StepAsset[], context: NodeContext): Promise<AssetResult[]>;
}

export interface NodeType<Config extends z.ZodType = z.ZodType> extends StepFacts<Config> {
  /** Mode, profile and `run` of its own step; absent for a type that only demands something of files. */
  readonly mode?: StepMode;
  readonly profile?: StepProfile;
  run?(config: z.output<Config>, assets: StepAsset[], context: NodeContext): Promise<AssetResult[]>;
  /** One line for lists. */
  readonly summary: string;
  /** When to use it and what it does; one screen of Markdown. */
  readonly docs: string;
  /** A complete pipeline file; the tests compile it. */
  readonly example: string;
  /** Absent for types that cannot start a pipeline. */
  readonly root?: RootRole<NoInfer<z.output<Config>>>;
  readonly needs: readonly Resource[];
  /** What it needs with this configuration, if that depends on the configuration. */
  needsFor?(config: z.output<Config>): readonly Resource[];
  readonly gives: readonly Resource[];
  /** Set for types that write files to a connector at the end of the pipeline. */
  readonly delivers?: true;
  /**
   * Set for types that only describe what other nodes make, such as property values: a change of their recipe repeats their
   * own work alone, on all assets.
   */
  readonly describes?: true;
  /** Set for side steps: neither they nor their `when` affect the path of an asset or its outputs. */
  readonly isSideStep?: true;
  /** Resources that must not exist before this node, because the node would change them too late. */
  readonly comesBefore?: readonly Resource[];
  /** Exception to `comesBefore`: allowed if the file names this operation and the resource `unlessThere` does not exist yet. */
  readonly lateBy?: { readonly operation: OperationRow; readonly unlessThere: Resource };
  /** Config fields that affect the output; they are part of the recipe. */
  readonly recipe: readonly string[];
  /** Further fields of the recipe, which leave it unchanged if they are absent. */
  readonly optionalRecipe?: readonly string[];
  /** Kinds of files that it delivers once per model, for all of its cells; empty for other exports. */
  modelFiles?(config: z.output<Config>): readonly string[];
  /** Data that affects the output in addition to the fields of `recipe`; null for none, which leaves the recipe unchanged. */
  extraRecipe?(config: z.output<Config>): Json | null;
  /** Fills in what the configuration names under `channels:` of the file or of the settings, before it is checked. */
  complete?(
    config: Readonly<Record<string, Json>>,
    channels: Readonly<Record<string, Json>>,
  ): ConfigCompletion;
  /** Finds options that conflict with the nodes before it, as far as the file shows. */
  findConflicts?(
    config: z.output<Config>,
    scope: Pick<CompileScope, 'configsBefore' | 'parentTypes'>,
  ): readonly OptionConflict[];
  /** Part of the configuration that affects production files; null if it delivers none. */
  sheet?(config: z.output<Config>): Json | null;
  /**
   * The manifest of its files, which is no part of its work on an asset; null for none.
   * @param columns of tables that the pipeline reads
   */
  manifest?(
    config: z.output<Config>,
    columns: readonly string[],
  ): Omit<DeliveryManifest, 'node' | 'delivery' | 'connector'> | null;
  /** Fields of file names that it defines: `true` for exactly one value, otherwise the reason why there may be several. */
  readonly namingFields?: {
    readonly fields: readonly RequestedField[];
    of(config: z.output<Config>, field: RequestedField): true | string | null;
  };
  /** Dimensions of a grid by which the node multiplies assets, outermost first. */
  readonly dimensions?: readonly NodeDimension<NoInfer<z.output<Config>>>[];
  /** Maximum `timeout`, if less than 30 days. */
  readonly longestTimeout?: string;
  /** Only if the node compiles to other steps than exactly its own. */
  steps?(config: z.output<Config>, scope: CompileScope): StepDraft[];
}

/** A node type with a step of its own. */
export type StepNodeType<Config extends z.ZodType = z.ZodType> = NodeType<Config> &
  Pick<StepType<Config>, 'mode' | 'profile' | 'run'>;

/** True unless the type only demands something of files. */
export function hasOwnStep(type: NodeType): type is StepNodeType {
  return type.run !== undefined;
}

/** Defines a step that only the plan of a node type uses. */
export function defineStep<Config extends z.ZodType>(step: StepType<Config>): StepType<Config> {
  return step;
}

/** Creates a step of a node's plan; an empty `part` is the node's own step. @throws TypeError for a type without steps */
export function draftOf(
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

/** Defines a node type that compiles to no step: the upload checks what the node demands of files (`fileNeeds`). */
export function defineFileRules<Config extends z.ZodType>(
  node: Omit<NodeType<Config>, keyof StepType | 'steps'> &
    Pick<NodeType<Config>, 'type' | 'config' | 'route' | 'fileNeeds'>,
): NodeType<Config> {
  return node;
}
