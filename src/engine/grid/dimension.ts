// The interface of grid dimensions. A feature defines a dimension, and its node types specify it. Checker, compiler,
// plan, store and worker use only this interface and have no special cases for single dimensions.
import type { z } from 'zod';
import type { Connector } from '../../connectors/connector.ts';
import type { DimensionName } from '../../language/dimension-names.ts';
import type { Cell, Position } from '../../plan/grid.ts';
import type { PlatformIds } from '../../plan/platform-ids.ts';
import type { AssetSource, Failure, Json, NameLookup, Plan } from '../../plan/types.ts';

/** What a dimension may use to read its positions when a run starts. */
export interface GridContext {
  parameters: Record<string, Json>;
  getConnector: (name: string) => Connector;
}

/** The positions along an opened dimension. */
export interface Axis {
  /** Returns the names of the positions that a model may have, in order. */
  namesOf(model: string): readonly string[];
  /**
   * Returns the positions of a model, in order.
   * @throws ExpressionError if a condition fails for the model
   */
  positionsOf(model: string, source: AssetSource): readonly Omit<Position, 'dimension'>[];
  /** Returns failures of positions that belong to none of the models. @default none */
  failuresOf?(models: readonly string[], node: string): Failure[];
  /** Like `locate` of Grid, for this dimension. */
  locate?(name: string, cell?: Cell): string;
}

export interface Dimension<Spec extends z.ZodType = z.ZodType> {
  /** Name of the dimension. Messages also use it as the noun for one position. */
  readonly name: DimensionName;
  /** Noun for several positions in messages. `whole` is the noun for the thing that is multiplied by the positions. */
  readonly plural: string;
  readonly baseNoun: string;
  /** Why a root node cannot have the dimension. Absent if it can. */
  readonly rootRefusal?: string;
  /** Position names are written to a search attribute, so that runs can be found by them. */
  readonly isSearchable?: true;
  /** Schema of the dimension's specification in the plan. */
  readonly spec: Spec;
  /** Platform ids of work that is done once for each position. */
  readonly ids?: DimensionIds;
  /** Returns the maximum number of positions of a model, or null if only a run can tell. */
  count(spec: z.output<Spec>): number | null;
  /** Opens the dimension. @throws RunCauseError if the positions cannot be read */
  open(spec: z.output<Spec>, context: GridContext): Axis | Promise<Axis>;
  /**
   * Returns the configuration with which the dimension's steps look up platform names in the pipeline file.
   * @default the step's own configuration
   */
  lookupConfig?(spec: z.output<Spec>): Json;
  /** Returns the lookups of platform names that are contained only in the positions of the assets. @default none */
  lookupsOf?(
    spec: z.output<Spec>,
    positions: readonly Position[],
  ): readonly Omit<NameLookup, 'node'>[];
  /** Returns where the positions come from, or null if they are in the pipeline file. @default null */
  locationOf?(spec: z.output<Spec>, connectors: Plan['connectors']): Json;
}

interface DimensionIds {
  /** Ids shared by cells whose positions along this dimension and all outer ones are the same. */
  readonly sharedIds: readonly (keyof PlatformIds)[];
  /** Ids that stay valid when the recipe changes, unless these positions change. */
  readonly recipeIndependentIds: readonly (keyof PlatformIds)[];
  /** Tests of a cell's progress, most advanced first. A cell that passes an earlier test has progressed further. */
  readonly progress: readonly ((platformIds: PlatformIds) => boolean)[];
}

/** Defines a dimension of a feature. */
export function defineDimension<Spec extends z.ZodType>(
  dimension: Dimension<Spec>,
): Dimension<Spec> {
  return dimension;
}

/** A dimension that a node type has for some configurations. */
export interface NodeDimension<Config> {
  readonly dimension: Dimension;
  /** Returns the dimension's specification as plain data. Null if the configuration has none. */
  specOf: (config: Config) => unknown;
}
