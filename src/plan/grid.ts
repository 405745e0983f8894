// A grid multiplies each source (the group) into cells along dimensions, whose data only features read. Pure.
import type { Json } from './json.ts';

export interface PlannedDimension {
  name: string;
  /** The node that has the dimension. Nodes before it do their work once for all positions. */
  node: string;
  /** Defines the positions along the dimension. Only the feature reads it. */
  spec: Json;
  /** Set if position names are written to a search attribute, so that runs can be found by them. */
  isSearchable?: true;
}

export interface Cell {
  /** Key of the source without its positions, which all of its cells share. */
  group: string;
  /** One position per dimension, outermost dimension first. */
  positions: Position[];
}

export interface Position {
  dimension: string;
  /** Name for people, file names and expressions. */
  name: string;
  /** Determines how the outputs look, and is therefore part of the recipe. Only the feature reads it. */
  payload: Json;
}

export interface CellSource {
  /** The cell. Absent for a source that is not a cell. */
  cell?: Cell;
}

/**
 * How the cells of a group share a step. Each field is a number of dimensions, counted from the outermost. Cells count
 * as the same for the step if they have the same positions along these dimensions.
 */
export interface CellSharing {
  /** The work is done once for cells that are the same along these dimensions. Zero means once per group. */
  work: number;
  /** Cells of one call are the same along these dimensions. With 0, a call has whole groups. */
  calls: number;
}

export function findPosition({ cell }: CellSource, dimension: string): Position | undefined {
  return cell?.positions.find((position) => position.dimension === dimension);
}

/** Returns the position names of a source, outermost first. Empty for a source that is not a cell. */
export function positionNamesOf({ cell }: CellSource): string[] {
  return cell?.positions.map(({ name }) => name) ?? [];
}
