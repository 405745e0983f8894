// The drawing order of triangles and the triangles of a band of rows.
import type { Scene } from '../scene/scene.ts';
import type { Projection } from './raster.ts';

/** Returns the index of the part of each triangle. */
export function partOfTriangle(scene: Scene): Uint32Array {
  const parts = new Uint32Array(scene.indices.length / 3);
  scene.parts.forEach(({ firstTriangle, triangleCount }, index) => {
    parts.fill(index, firstTriangle, firstTriangle + triangleCount);
  });
  return parts;
}

export type TriangleOrder = {
  /** Triangles in file order, because the z-buffer sorts them. */
  readonly solid: Uint32Array;
  /** Triangles from back to front, because a transparent triangle blends with those behind it. */
  readonly blended: Uint32Array;
};

export function orderTriangles(
  scene: Scene,
  projection: Projection,
  isBlended: (triangle: number) => boolean,
): TriangleOrder {
  const solid: number[] = [];
  const blended: number[] = [];
  const count = scene.indices.length / 3;
  for (let triangle = 0; triangle < count; triangle += 1) {
    (isBlended(triangle) ? blended : solid).push(triangle);
  }
  const distance = (triangle: number): number =>
    (projection.w[scene.indices[triangle * 3] as number] as number) +
    (projection.w[scene.indices[triangle * 3 + 1] as number] as number) +
    (projection.w[scene.indices[triangle * 3 + 2] as number] as number);
  // Ties keep the file order, so that pictures do not depend on the JavaScript engine.
  blended.sort((a, b) => distance(b) - distance(a));
  return { solid: Uint32Array.from(solid), blended: Uint32Array.from(blended) };
}

/** Returns the triangles of a list that may touch rows `first` (inclusive) to `last` (exclusive). */
export function cullTriangles(
  scene: Scene,
  { y, w }: Projection,
  near: number,
  list: Uint32Array,
  first: number,
  last: number,
): Uint32Array {
  return list.filter((triangle) => {
    const a = scene.indices[triangle * 3] as number;
    const b = scene.indices[triangle * 3 + 1] as number;
    const c = scene.indices[triangle * 3 + 2] as number;
    // Pieces that are cut at the near plane may land on any row.
    if ((w[a] as number) <= near || (w[b] as number) <= near || (w[c] as number) <= near)
      return true;
    const ya = y[a] as number;
    const yb = y[b] as number;
    const yc = y[c] as number;
    return Math.max(ya, yb, yc) >= first && Math.min(ya, yb, yc) <= last;
  });
}
