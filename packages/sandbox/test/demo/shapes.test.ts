// The basic shapes of products are closed and have the requested size.
import { describe, expect, it } from 'vitest';
import { joinMeshes, type Mesh, moveMesh, rotateMesh, smoothLine } from '../../src/demo/mesh.ts';
import { createLathe, createRoundedBox, createTube } from '../../src/demo/shapes.ts';
import type { Vec3 } from '../../src/drawing/vector.ts';

// Six times the enclosed volume, from signed tetrahedra. Inverted triangles make it negative.
function volume({ positions, indices }: Mesh): number {
  let sum = 0;
  for (let at = 0; at < indices.length; at += 3) {
    const [a, b, c] = [0, 1, 2].map((corner) => positions[indices[at + corner] ?? 0] ?? [0, 0, 0]);
    if (a === undefined || b === undefined || c === undefined) continue;
    sum +=
      a[0] * (b[1] * c[2] - b[2] * c[1]) -
      a[1] * (b[0] * c[2] - b[2] * c[0]) +
      a[2] * (b[0] * c[1] - b[1] * c[0]);
  }
  return sum / 6;
}

function extent({ positions }: Mesh): number[] {
  return [0, 1, 2].map((axis) => {
    const values = positions.map((point) => point[axis as 0]);
    return Math.max(...values) - Math.min(...values);
  });
}

describe('lathe', () => {
  const cylinder = [
    [
      [0, 0],
      [1, 0],
    ],
    [
      [1, 0],
      [1, 2],
    ],
    [
      [1, 2],
      [0, 2],
    ],
  ] as const;

  it('rotating a rectangle creates a cylinder', () => {
    const mesh = createLathe(cylinder, { segments: 200 });
    expect(volume(mesh)).toBeCloseTo(Math.PI * 2, 1);
    extent(mesh).forEach((value) => expect(value).toBeCloseTo(2, 2));
  });

  it('edges between runs are sharp', () => {
    const { normals } = createLathe(cylinder, { segments: 4 });
    const kinds = new Set(normals.map(([, y]) => Math.round(y)));
    expect(kinds).toEqual(new Set([-1, 0, 1]));
  });

  it('ribs tilt the normals', () => {
    const ripple = (angle: number): number => 1 + 0.1 * Math.cos(angle * 8);
    const { normals, positions } = createLathe(
      [
        [
          [1, 0],
          [1, 1],
        ],
      ],
      { ripple, segments: 64 },
    );
    const leaning = positions.filter((point, index) => {
      const normal = normals[index] ?? [0, 0, 0];
      const out = Math.hypot(point[0], point[2]);
      return (point[0] * normal[0] + point[2] * normal[2]) / out < 0.95;
    });
    expect(leaning.length).toBeGreaterThan(20);
  });
});

describe('tube', () => {
  const straight: Vec3[] = Array.from({ length: 21 }, (_, step) => [0, step / 10, 0]);

  it('a tube is a closed rod', () => {
    const mesh = createTube(straight, () => 0.5, { sides: 64 });
    expect(volume(mesh)).toBeGreaterThan(Math.PI * 0.25 * 2 * 0.93);
    expect(volume(mesh)).toBeLessThan(Math.PI * 0.25 * 2);
  });

  it.each([[[1, 0, 0]], [[0, 1, 0]], [[0, 0, -1]], [[1, 1, 1]]] as const)(
    'a tube along %j is not inside out',
    (direction) => {
      const path = straight.map(
        ([, t]): Vec3 => [direction[0] * t, direction[1] * t, direction[2] * t],
      );
      expect(volume(createTube(path, () => 0.1))).toBeGreaterThan(0);
    },
  );

  it('a tube can be flat', () => {
    const [width = 0, , depth = 0] = extent(createTube(straight, () => 0.5, { flatten: 0.5 }));
    expect(Math.min(width, depth)).toBeCloseTo(0.5, 1);
    expect(Math.max(width, depth)).toBeCloseTo(1, 1);
  });
});

describe('roundedBox', () => {
  it('a rounded box has the requested size, and less volume than a plain box', () => {
    const mesh = createRoundedBox([2, 1, 3], 0.2);
    extent(mesh).forEach((value, axis) => expect(value).toBeCloseTo([2, 1, 3][axis] ?? 0, 5));
    expect(volume(mesh)).toBeGreaterThan(5.3);
    expect(volume(mesh)).toBeLessThan(6);
  });

  it('a puffed box bulges', () => {
    expect(volume(createRoundedBox([1, 1, 1], 0.2, 0.1))).toBeGreaterThan(
      volume(createRoundedBox([1, 1, 1], 0.2)),
    );
  });
});

describe('transforms of meshes', () => {
  const box = createRoundedBox([1, 2, 3], 0.1);

  it('meshes keep their volume when they are moved, turned and joined', () => {
    const there = moveMesh(rotateMesh(box, [30, 40, 50]), [5, 6, 7]);
    expect(volume(there)).toBeCloseTo(volume(box), 5);
    expect(volume(joinMeshes(box, there))).toBeCloseTo(volume(box) * 2, 5);
  });

  it('a mesh can be rotated by 90 degrees about each axis', () => {
    expect(extent(rotateMesh(box, [90, 0, 0])).map(Math.round)).toEqual([1, 3, 2]);
    expect(extent(rotateMesh(box, [0, 90, 0])).map(Math.round)).toEqual([3, 2, 1]);
    expect(extent(rotateMesh(box, [0, 0, 90])).map(Math.round)).toEqual([2, 1, 3]);
  });

  it('a smoothed mesh passes through every given point', () => {
    const points: Vec3[] = [
      [0, 0, 0],
      [1, 2, 0],
      [3, 1, 5],
    ];
    const line = smoothLine(points, 4);
    expect(line.length).toBe(9);
    expect([line[0], line[4], line[8]]).toEqual(points);
  });
});
