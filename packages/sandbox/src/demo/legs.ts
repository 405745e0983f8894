// Furniture legs.
import { joinMeshes, type Mesh, type Vec2, type Vec3 } from './mesh.ts';
import { tube } from './shapes.ts';

/** A round leg from the floor up to a point, with separate radii at foot and head. */
export function leg(foot: Vec3, head: Vec3, footRadius: number, headRadius: number): Mesh {
  const path = Array.from({ length: 9 }, (_, step): Vec3 => {
    const t = step / 8;
    return [
      foot[0] + (head[0] - foot[0]) * t,
      foot[1] + (head[1] - foot[1]) * t,
      foot[2] + (head[2] - foot[2]) * t,
    ];
  });
  return tube(path, (share) => footRadius + (headRadius - footRadius) * share);
}

/** Four legs; `foot` and `head` are half the distances between the legs. */
export function fourLegs(foot: Vec2, head: Vec2, height: number, radii: Vec2): Mesh {
  const corners = [
    [1, 1],
    [1, -1],
    [-1, 1],
    [-1, -1],
  ] as const;
  return joinMeshes(
    ...corners.map(([x, z]) =>
      leg([foot[0] * x, 0, foot[1] * z], [head[0] * x, height, head[1] * z], ...radii),
    ),
  );
}
