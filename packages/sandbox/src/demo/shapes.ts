// The basic shapes of products: turned bodies, bent tubes and rounded boxes.
import { addScaled, cross, dot, normalize, subtract, type Vec3 } from '../drawing/vector.ts';
import type { Axis, Mesh, Vec2 } from './mesh.ts';

type LatheOptions = {
  readonly segments?: number | undefined;
  /** Radius factor at an angle in radians, for ribs. @default 1 at all angles */
  readonly ripple?: ((angle: number) => number) | undefined;
};

/**
 * Rotates a profile around the y axis. Each run of [radius, height] points is smooth, and two runs meet at an edge.
 * Runs go outwards and up on the outside, and down on the inside.
 */
export function createLathe(runs: readonly (readonly Vec2[])[], options: LatheOptions = {}): Mesh {
  const { segments = 64, ripple = () => 1 } = options;
  const positions: Vec3[] = [];
  const normals: Vec3[] = [];
  const uvs: Vec2[] = [];
  const indices: number[] = [];
  const total = runs.reduce((sum, run) => sum + lengthOf(run), 0) || 1;
  let along = 0;
  for (const run of runs) {
    const first = positions.length;
    run.forEach((point, index) => {
      const previous = run[index - 1] ?? point;
      const next = run[index + 1] ?? point;
      if (index > 0) along += Math.hypot(point[0] - previous[0], point[1] - previous[1]);
      const rise = next[1] - previous[1];
      const spread = next[0] - previous[0];
      for (let segment = 0; segment <= segments; segment += 1) {
        const angle = (segment / segments) * Math.PI * 2;
        const radius = point[0] * ripple(angle);
        positions.push([radius * Math.sin(angle), point[1], radius * Math.cos(angle)]);
        normals.push(computeLatheNormal(rise, spread, angle, ripple));
        uvs.push([segment / segments, 1 - along / total]);
      }
    });
    joinRows(indices, first, run.length, segments);
  }
  return { positions, normals, uvs, indices };
}

function computeLatheNormal(
  rise: number,
  spread: number,
  angle: number,
  ripple: (angle: number) => number,
): Vec3 {
  const step = 1e-3;
  const lean = (ripple(angle + step) - ripple(angle - step)) / (2 * step) / ripple(angle);
  // Ribs tilt the normal sideways, against the direction in which the radius grows.
  const outX = Math.sin(angle) - lean * Math.cos(angle);
  const outZ = Math.cos(angle) + lean * Math.sin(angle);
  return normalize([outX * rise, -spread, outZ * rise]);
}

function lengthOf(run: readonly Vec2[]): number {
  let length = 0;
  run.forEach((point, index) => {
    const previous = run[index - 1] ?? point;
    length += Math.hypot(point[0] - previous[0], point[1] - previous[1]);
  });
  return length;
}

// Adds the triangles between neighbouring rows of segments + 1 points.
function joinRows(indices: number[], first: number, rows: number, segments: number): void {
  for (let row = 0; row + 1 < rows; row += 1) {
    for (let segment = 0; segment < segments; segment += 1) {
      const a = first + row * (segments + 1) + segment;
      const b = a + 1;
      const c = a + segments + 1;
      indices.push(a, b, c + 1, a, c + 1, c);
    }
  }
}

export type TubeOptions = {
  readonly sides?: number;
  /** Thickness as a factor of the width, for flat handles. @default 1 */
  readonly flatten?: number;
};

/** Creates a tube along a path, where u runs. `radiusAt` accepts 0 (start) to 1 (end). Ends are narrowed and closed. */
export function createTube(
  path: readonly Vec3[],
  radiusAt: (share: number) => number,
  options: TubeOptions = {},
): Mesh {
  const { sides = 20, flatten = 1 } = options;
  const positions: Vec3[] = [];
  const normals: Vec3[] = [];
  const uvs: Vec2[] = [];
  const indices: number[] = [];
  let side: Vec3 | undefined;
  path.forEach((point, index) => {
    const share = index / (path.length - 1);
    const ahead = path[index + 1] ?? point;
    const behind = path[index - 1] ?? point;
    const tangent = normalize(subtract(ahead, behind));
    // The frame is carried along the path, so that the tube does not twist.
    const along = carryNormal(side, tangent);
    side = along;
    const other = cross(tangent, along);
    const closing = index === 0 || index === path.length - 1 ? 0.55 : 1;
    for (let corner = 0; corner <= sides; corner += 1) {
      const angle = (corner / sides) * Math.PI * 2;
      const cos = Math.cos(angle);
      const sin = Math.sin(angle);
      const radius = radiusAt(share) * closing;
      const outwards = (axis: Axis) => along[axis] * cos * flatten + other[axis] * sin;
      const out: Vec3 = [outwards(0), outwards(1), outwards(2)];
      positions.push(addScaled(point, out, radius));
      normals.push(normalize(out));
      uvs.push([share, corner / sides]);
    }
  });
  joinRows(indices, 0, path.length, sides);
  closeEnd(0, true);
  closeEnd(path.length - 1, false);
  return { positions, normals, uvs, indices };

  function closeEnd(row: number, start: boolean): void {
    const point = path[row];
    if (point === undefined) return;
    const inward = path[row + (start ? 1 : -1)] ?? point;
    const middle = positions.length;
    positions.push(point);
    normals.push(normalize(subtract(point, inward)));
    uvs.push([start ? 0 : 1, 0.5]);
    for (let corner = 0; corner < sides; corner += 1) {
      const a = row * (sides + 1) + corner;
      indices.push(...(start ? [middle, a + 1, a] : [middle, a, a + 1]));
    }
  }
}

function carryNormal(last: Vec3 | undefined, tangent: Vec3): Vec3 {
  const reference: Vec3 = last ?? (Math.abs(tangent[1]) > 0.9 ? [1, 0, 0] : [0, 1, 0]);
  return normalize(addScaled(reference, tangent, -dot(reference, tangent)));
}

/** Creates a box around the origin with rounded edges. `puff` bulges its faces like a cushion. */
export function createRoundedBox(size: Vec3, radius: number, puff = 0): Mesh {
  const positions: Vec3[] = [];
  const normals: Vec3[] = [];
  const uvs: Vec2[] = [];
  const indices: number[] = [];
  const steps = 20;
  const faces: readonly (readonly [Axis, Axis, Axis, number])[] = [
    [0, 1, 2, 1],
    [0, 2, 1, -1],
    [1, 2, 0, 1],
    [1, 0, 2, -1],
    [2, 0, 1, 1],
    [2, 1, 0, -1],
  ];
  for (const [axis, across, down, sign] of faces) {
    const first = positions.length;
    for (let row = 0; row <= steps; row += 1) {
      for (let column = 0; column <= steps; column += 1) {
        const point: [number, number, number] = [0, 0, 0];
        point[axis] = sign * halfOf(size, axis);
        point[across] = computeEdgeStep(column / steps) * halfOf(size, across);
        point[down] = computeEdgeStep(row / steps) * halfOf(size, down);
        const bulge = puff * shareInside(column / steps) * shareInside(row / steps);
        const { position, normal } = roundCorner(point, size, radius);
        positions.push(addScaled(position, normal, bulge));
        normals.push(normal);
        uvs.push([point[across], point[down]]);
      }
    }
    joinRows(indices, first, steps + 1, steps);
  }
  return { positions, normals, uvs, indices };
}

function halfOf(size: Vec3, axis: Axis): number {
  return size[axis] / 2;
}

// Maps a share to a position so that more steps are near the edges, where the surface is curved.
function computeEdgeStep(share: number): number {
  return Math.sin((share - 0.5) * Math.PI);
}

function shareInside(share: number): number {
  return 1 - computeEdgeStep(share) ** 4;
}

function roundCorner(point: Vec3, size: Vec3, radius: number): { position: Vec3; normal: Vec3 } {
  const clampAxis = (axis: Axis) => {
    const limit = Math.max(0, halfOf(size, axis) - radius);
    return Math.min(limit, Math.max(-limit, point[axis]));
  };
  const inner: Vec3 = [clampAxis(0), clampAxis(1), clampAxis(2)];
  const normal = normalize(subtract(point, inner));
  return {
    position: addScaled(inner, normal, radius),
    normal,
  };
}
