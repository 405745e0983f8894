// Triangle meshes as plain arrays, which can be moved and joined.
import type { Vec3 } from '../drawing/vector.ts';

export type Vec2 = readonly [number, number];
export type Axis = 0 | 1 | 2;

export type Mesh = {
  readonly positions: readonly Vec3[];
  readonly normals: readonly Vec3[];
  readonly uvs: readonly Vec2[];
  readonly indices: readonly number[];
};

/** Joins several meshes. */
export function joinMeshes(...meshes: readonly Mesh[]): Mesh {
  const indices: number[] = [];
  let first = 0;
  for (const mesh of meshes) {
    for (const index of mesh.indices) indices.push(first + index);
    first += mesh.positions.length;
  }
  return {
    positions: meshes.flatMap(({ positions }) => positions),
    normals: meshes.flatMap(({ normals }) => normals),
    uvs: meshes.flatMap(({ uvs }) => uvs),
    indices,
  };
}

export function moveMesh(mesh: Mesh, [dx, dy, dz]: Vec3): Mesh {
  return { ...mesh, positions: mesh.positions.map(([x, y, z]) => [x + dx, y + dy, z + dz]) };
}

/** Rotates by degrees about x, then y, then z, around the origin. */
export function rotateMesh(mesh: Mesh, [aboutX, aboutY, aboutZ]: Vec3): Mesh {
  const turn = (point: Vec3): Vec3 => {
    const [x0, y0, z0] = point;
    const [y1, z1] = rotate(y0, z0, aboutX);
    const [z2, x2] = rotate(z1, x0, aboutY);
    const [x3, y3] = rotate(x2, y1, aboutZ);
    return [x3, y3, z2];
  };
  return { ...mesh, positions: mesh.positions.map(turn), normals: mesh.normals.map(turn) };
}

function rotate(a: number, b: number, degrees: number): Vec2 {
  const angle = (degrees * Math.PI) / 180;
  return [a * Math.cos(angle) - b * Math.sin(angle), a * Math.sin(angle) + b * Math.cos(angle)];
}

/** Projects the texture from above. One repetition of the texture is `size` metres wide. */
export function projectFromAbove(mesh: Mesh, size: number): Mesh {
  return { ...mesh, uvs: mesh.positions.map(([x, , z]) => [x / size + 0.5, z / size + 0.5]) };
}

/** Repeats the texture: multiplies u and v. */
export function repeatTexture(mesh: Mesh, [u, v]: Vec2): Mesh {
  return { ...mesh, uvs: mesh.uvs.map(([a, b]) => [a * u, b * v]) };
}

/** Returns a smooth line through the points (Catmull-Rom), with `steps` pieces between each pair of points. */
export function smoothLine(points: readonly (readonly number[])[], steps: number): number[][] {
  const pointAt = (index: number) => points[Math.min(points.length - 1, Math.max(0, index))] ?? [];
  const pieces = points.slice(1).flatMap((_, index) =>
    Array.from({ length: steps }, (__, step) => {
      const t = step / steps;
      return pointAt(index).map((b, axis) => {
        const [a = 0, c = 0, d = 0] = [-1, 1, 2].map((offset) => pointAt(index + offset)[axis]);
        return b + 0.5 * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)));
      });
    }),
  );
  return [...pieces, [...pointAt(points.length - 1)]];
}
