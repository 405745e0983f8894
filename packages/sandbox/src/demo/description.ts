// Describes products as data (parts of simple shapes, finishes, variants). `build-product.ts` builds them.

import type { Vec3 } from '../drawing/vector.ts';
import type { Vec2 } from './mesh.ts';
import type { Finish } from './product.ts';
import type { TextureDescription } from './textures.ts';

/**
 * The points of a profile (`radius,height radius,height`) or of a path (`x,y,z x,y,z`) in metres, or how to compute
 * them. `smooth 8: ` is a smooth line through the points, with eight pieces between each pair of points. `straight: `
 * is eight pieces between two points of a path. `rim: radius height thickness` is half a circle with the radius
 * `thickness` over the top of a profile, from outside to inside. `circle: radius height` is a path around the y axis.
 */
export type Line = string;

/** A profile turned around the y axis: outsides go up, and insides go down from the rim. Two lines meet at an edge. */
export interface Lathe {
  readonly lathe: readonly (Line | readonly Line[])[];
  readonly segments?: number;
  /** Ribs, with their depth as a share of the radius and their number. */
  readonly ribs?: { readonly depth: number; readonly count: number };
}

export interface Tube {
  readonly tube: Line;
  /** Radius in metres: constant, or at the start and at the end. */
  readonly radius: number | Vec2;
  readonly flatten?: number;
  /** Two tubes, mirrored in x, or four, mirrored in x and z. */
  readonly mirror?: 'x' | 'xz';
}

export interface Box {
  readonly box: Vec3;
  /** Radius of the rounded edges, in metres. */
  readonly radius: number;
  readonly puff?: number;
}

export interface Group {
  readonly join: readonly Shape[];
}

/** Transformations of a shape, applied in this order. */
export interface Placement {
  /** Projects the texture from above. One repetition has this width in metres. */
  readonly planar?: number;
  /** Repetitions of the texture in u and v. */
  readonly repeat?: Vec2;
  /** Degrees about x, then y, then z. */
  readonly turn?: Vec3;
  readonly move?: Vec3;
}

export type Shape = (Lathe | Tube | Box | Group) & Placement;

/** Without a colour the finish is white, which leaves the colours of the texture unchanged. */
export type FinishDescription = Omit<Finish, 'name' | 'color' | 'texture'> & {
  readonly color?: string;
  readonly texture?: TextureDescription;
};

export interface ProductDescription {
  readonly name: string;
  /** Finishes by slot name. */
  readonly finishes: Readonly<Record<string, FinishDescription>>;
  /** Shapes by part name. `finish` is a slot name. By default, it is the name of the part. */
  readonly parts: Readonly<Record<string, Shape & { readonly finish?: string }>>;
  /** Finishes of parts, by variant. The first variant repeats the parts' own finishes. */
  readonly variants?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}
