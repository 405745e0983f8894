// The interface of dimensions. A feature defines a dimension, and its node types say which specification they have:
// checker, compiler, plan, store and worker read this interface and know no single dimension.
import type { z } from 'zod';
import type { Connector } from '../../connectors/connector.ts';
import type { DimensionName } from '../../language/dimension-names.ts';
import type { Cell, Position } from '../../plan/grid.ts';
import type { PlatformIds } from '../../plan/platform-ids.ts';
import type { AssetSource, Failure, Json, NameLookup, Plan } from '../../plan/types.ts';

/** What a dimension may read when a run starts. */
export interface GridContext {
  parameters: Record<string, Json>;
  connectorNamed: (name: string) => Connector;
}

/** The positions along an opened dimension. */
export interface Axis {
  /** Names of the positions that a model may have, in order. */
  namesOf(model: string): readonly string[];
  /**
   * The positions of a model, in order.
   * @throws ExpressionError if a condition fails for the model
   */
  positionsOf(model: string, source: AssetSource): readonly Omit<Position, 'dimension'>[];
  /** Failures that concern none of the models. @default none */
  refused?(models: readonly string[], node: string): Failure[];
  /** See Grid. */
  locate?(name: string, cell?: Cell): string;
}

export interface Dimension<Spec extends z.ZodType = z.ZodType> {
  /** Also the word for one position in messages. */
  readonly name: DimensionName;
  /** For messages: several positions, and what each of them multiplies. */
  readonly plural: string;
  readonly whole: string;
  /** Why the first node of a pipeline cannot have it; absent: it can. */
  readonly refusesRoot?: string;
  /** Runs can be found by the names of its positions. */
  readonly isSearchable?: true;
  /** Specification in the plan. */
  readonly spec: Spec;
  /** Platform ids of work that is done once for each position. */
  readonly ids?: DimensionIds;
  /** Number of positions that a model has at most; null if only a run knows. */
  count(spec: z.output<Spec>): number | null;
  /** @throws RunCauseError if the positions cannot be read */
  open(spec: z.output<Spec>, context: GridContext): Axis | Promise<Axis>;
  /**
   * Configuration by which steps of its node look up names that the pipeline file gives to positions.
   * @default that of the step
   */
  lookUpConfig?(spec: z.output<Spec>): Json;
  /** Lookups of names that are known only from the positions of assets. @default none */
  lookUpsOf?(
    spec: z.output<Spec>,
    positions: readonly Position[],
  ): readonly Omit<NameLookup, 'node'>[];
  /** Where the positions come from, if not from the pipeline file; null if they do. @default null */
  locationOf?(spec: z.output<Spec>, connectors: Plan['connectors']): Json;
}

interface DimensionIds {
  /** Ids that cells share whose positions along the dimension and those around it are the same. */
  readonly shared: readonly (keyof PlatformIds)[];
  /** Those that also serve another recipe, as long as these positions look the same. */
  readonly lasting: readonly (keyof PlatformIds)[];
  /** Tells which of several cells has progressed furthest: the first of these that one has. */
  readonly progress: readonly ((platformIds: PlatformIds) => boolean)[];
}

/** Defines a dimension of a feature. */
export function defineDimension<Spec extends z.ZodType>(
  dimension: Dimension<Spec>,
): Dimension<Spec> {
  return dimension;
}

/** A dimension that a node type has with some configurations. */
export interface NodeDimension<Config> {
  readonly dimension: Dimension;
  /** Its specification as plain data; null if the configuration has none. */
  specOf: (config: Config) => unknown;
}
