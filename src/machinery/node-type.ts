// A node type is one self-describing file. Checker, compiler, worker, docs and the
// JSON schema read this shape and never ask which type it is.
import type { z } from 'zod';
import type { OperationRow } from '../api/operation.ts';
import type { AskedField } from '../language/naming.ts';
import type {
  AssetResult,
  CellSharing,
  ColorwaySpec,
  EventRules,
  Json,
  Stage,
  StepAsset,
  StepMode,
  ViewCell,
} from '../plan/types.ts';
import type { Lister } from '../store/discovery/lister.ts';
import type { SourceIdentity } from '../store/discovery/moved-sources.ts';
import type { StepCost } from './cost/step-cost.ts';
import type { ListContext } from './discovery/list-context.ts';
import type { NameContext } from './discovery/name-context.ts';
import type { NodeContext } from './node-context.ts';

/** Things that flow from node to node; a node's needs must be given by its ancestors. */
export type Thing =
  | 'model'
  | 'ready model'
  | 'choice of variants'
  | 'template'
  | 'project'
  | 'render'
  | 'finished render';

export interface StepProfile {
  /** Most assets in one activity. */
  batch: number;
  /** Longest single attempt. */
  startToClose: string;
  /** Longest silence of an attempt; only for long ones. */
  heartbeat?: string;
  /** Default of the node's `timeout`. */
  timeout: string;
}

/** One step that a node becomes; `part` is empty for the node's own step. */
export interface StepDraft {
  part: string;
  activity: string;
  mode: StepMode;
  config: Json;
  profile: StepProfile;
  /** Part of the same node to go back to when the platform's work failed. */
  redo?: { node: string; part: string };
  onFailure?: 'ignore';
}

/** The pipeline around a node, as the node may know it while it becomes steps. */
export interface CompileScope {
  node: string;
  /** The node's own step. */
  readonly own: (config: unknown) => StepDraft;
  /** The pipeline begins here. */
  isRoot: boolean;
  /** Every asset that comes here has been through a node of this type. */
  hasAncestor(type: string): boolean;
  /** Every way on meets a node of this type before one that needs what such a node gives. */
  hasDescendant(type: string): boolean;
  /** Some asset comes here that has this already. */
  mayHave(thing: Thing): boolean;
  /** The ancestor node of this type, where there is exactly one. */
  nearestAncestor(type: string): string | null;
  /** Configurations of all nodes of this type that assets may have been through. */
  configsBefore(type: string): unknown[];
  /** A node after it names files by this field. */
  isNamedAfter(field: AskedField): boolean;
}

/** An option of a node that what comes before it cannot serve. */
export interface Misfit {
  severity: 'error' | 'warning';
  /** In the configuration. */
  path: readonly (string | number)[];
  message: string;
  /** Advice to a person, a sentence. */
  fix: string;
}

/** How a node type begins a pipeline. */
export interface RootRole<Config> {
  readonly from: 'files' | 'platform';
  /**
   * Config fields of which one says what a root takes; a node with parents must not have them. None for a type
   * that only ever begins.
   */
  readonly by: readonly string[];
  /** Things that assets have when they come here. null: a configuration that does not fit, so all that may be. */
  brings(config: Config | null): readonly Thing[];
  /** How events start runs; null where this configuration does not begin with them. */
  intake?(config: Config): Omit<EventRules, 'batchSize'> | null;
  /** For a root of files: their connector, and which may be taken by their paths alone. */
  files?(config: Config): { connector: string; takes: (path: string) => boolean };
  /** What makes two of its sources the same; absent: their keys. */
  identity?(config: Config): SourceIdentity;
  /** Category that it gives its models; null where the configuration names none. */
  category?(config: Config): string | null;
  /** Lists the sources, one asset each. */
  list(config: Config, context: ListContext): Lister;
}

/** A worker's view of a step's activity. */
export interface StepType<Config extends z.ZodType = z.ZodType> {
  readonly type: string;
  readonly config: Config;
  readonly mode: StepMode;
  /** Of waits: who has to do what, as in `3 wait for the platform to render`. */
  readonly waitsFor?: string;
  /** Set for types that make the platform begin something: uploads, renders, whatever costs. */
  readonly submits?: true;
  readonly profile: StepProfile;
  /** How cells of a colorway grid share its calls. @default 'colorway' */
  readonly cells?: CellSharing;
  /**
   * Stage that its work belongs to: where that stands its steps do nothing. Absent: they work each time, and another recipe of
   * theirs makes another composition.
   */
  readonly stage?: Stage;
  /** Costs that `renderline plan` counts for it. @default no requests and no time of the platform */
  readonly cost?: StepCost;
  /** How its work is done, one line for `renderline plan`; `batch` is the most assets in one call. */
  route(config: z.output<Config>, batch: number): string;
  /**
   * Looks up on the platform what the configuration names, before a run makes anything.
   * @throws RunCauseError for a name that is not there or that several bear.
   */
  lookUp?(config: z.output<Config>, context: NameContext): Promise<void>;
  /** One attempt for many assets. A wait returns what has changed; a call returns all. */
  run(config: z.output<Config>, assets: StepAsset[], context: NodeContext): Promise<AssetResult[]>;
}

export interface NodeType<Config extends z.ZodType = z.ZodType> extends StepType<Config> {
  /** One line for lists. */
  readonly summary: string;
  /** When to use it and what it does; one screen of Markdown. */
  readonly docs: string;
  /** A complete pipeline file that the tests compile. */
  readonly example: string;
  /** Absent for types that only come after parents. */
  readonly root?: RootRole<NoInfer<z.output<Config>>>;
  readonly needs: readonly Thing[];
  /** Its needs with this configuration, where they depend on it. */
  needsFor?(config: z.output<Config>): readonly Thing[];
  readonly gives: readonly Thing[];
  /** Set for types that write files to a connector at the end of the pipeline. */
  readonly delivers?: true;
  /** Set for types that make nothing: neither they nor their `when` decide where an asset goes or what its outputs look like. */
  readonly aside?: true;
  /** Things that must not be there yet: the node would change them too late. */
  readonly comesBefore?: readonly Thing[];
  /** The operation that makes it none too late, where the file names it and `unlessThere` is not there either. */
  readonly lateBy?: { readonly operation: OperationRow; readonly unlessThere: Thing };
  /** Names of config fields that decide what an output looks like; they make the recipe. */
  readonly recipe: readonly string[];
  /** Kinds of files that it delivers of each model, once for all of its colorways and views; none where it delivers other things. */
  modelFiles?(config: z.output<Config>): readonly string[];
  /**
   * More that decides what its files are, beside the fields of `recipe`; null for nothing, which leaves recipes as they were
   * before there was such a thing.
   */
  decides?(config: z.output<Config>): Json | null;
  /** What it asks of the nodes before it that they do not give, as far as the file tells. */
  misfits?(config: z.output<Config>, scope: Pick<CompileScope, 'configsBefore'>): readonly Misfit[];
  /** Part of the configuration that decides what a production file looks like; null where it delivers none. */
  sheet?(config: z.output<Config>): Json | null;
  /** Fields of file names that it makes known: `true` for exactly one value, else the reason why there may be several. */
  readonly asksFor?: {
    readonly fields: readonly AskedField[];
    of(config: z.output<Config>, field: AskedField): true | string | null;
  };
  /** The colorways that it makes of each model, where models become assets in each of theirs. */
  colorways?(config: z.output<Config>): ColorwaySpec | null;
  /** The views that it makes of each asset, where assets become one in each of theirs. */
  views?(config: z.output<Config>): Pick<ViewCell, 'name' | 'mark'>[] | null;
  /** Longest `timeout` where that is less than 30 days. */
  readonly longestTimeout?: string;
  /** Only when one node becomes other steps than exactly one of its own. */
  steps?(config: z.output<Config>, scope: CompileScope): StepDraft[];
}

/** A step that only a node type's own plan names. */
export function defineStep<Config extends z.ZodType>(step: StepType<Config>): StepType<Config> {
  return step;
}

/** A step of a node's plan; without a part it is the node's own. */
export function draftOf(
  part: string,
  { type, mode, profile }: Pick<StepType, 'type' | 'mode' | 'profile'>,
  config: unknown = {},
): StepDraft {
  return { part, activity: type, mode, config: JSON.parse(JSON.stringify(config)), profile };
}

export function defineNode<Config extends z.ZodType>(node: NodeType<Config>): NodeType<Config> {
  return node;
}
