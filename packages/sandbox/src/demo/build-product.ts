import type { Vec3 } from '../drawing/vector.ts';
import type { Line, ProductDescription, Shape } from './description.ts';
import {
  joinMeshes,
  type Mesh,
  moveMesh,
  projectFromAbove,
  repeatTexture,
  rotateMesh,
  smoothLine,
  type Vec2,
} from './mesh.ts';
import type { Finish, Product } from './product.ts';
import { createLathe, createRoundedBox, createTube } from './shapes.ts';
import { paintTexture } from './textures.ts';

/**
 * Builds the meshes and finishes of a product from its description.
 * @throws Error if a part or a variant refers to a finish that the product lacks
 */
export async function buildProduct(description: ProductDescription): Promise<Product> {
  const { name, parts, variants = {} } = description;
  const finishes = new Map<string, Finish>();
  for (const [slot, { color = '#ffffff', texture, ...finish }] of Object.entries(
    description.finishes,
  )) {
    const painted = texture && { texture: await paintTexture(texture) };
    finishes.set(slot, { ...finish, name: slot, color, ...painted });
  }
  const finishOf = (slot: string): Finish => {
    const finish = finishes.get(slot);
    if (finish === undefined) throw new Error(`${name} has no finish "${slot}".`);
    return finish;
  };
  const variantEntries = Object.entries(variants).map(([variant, slots]) => {
    const finishEntries = Object.entries(slots).map(([part, slot]) => [part, finishOf(slot)]);
    return [variant, Object.fromEntries(finishEntries)];
  });
  return {
    name,
    parts: Object.entries(parts).map(([part, { finish = part, ...shape }]) => ({
      name: part,
      mesh: buildShape(shape),
      finish: finishOf(finish),
    })),
    ...(variantEntries.length > 0 ? { variants: Object.fromEntries(variantEntries) } : {}),
  };
}

function buildShape(shape: Shape): Mesh {
  const { planar, repeat, turn, move } = shape;
  let mesh = buildMesh(shape);
  if (planar !== undefined) mesh = projectFromAbove(mesh, planar);
  if (repeat !== undefined) mesh = repeatTexture(mesh, repeat);
  if (turn !== undefined) mesh = rotateMesh(mesh, turn);
  return move === undefined ? mesh : moveMesh(mesh, move);
}

function buildMesh(shape: Shape): Mesh {
  if ('join' in shape) return joinMeshes(...shape.join.map(buildShape));
  if ('box' in shape) return createRoundedBox(shape.box, shape.radius, shape.puff);
  if ('lathe' in shape) {
    const { segments, ribs } = shape;
    const runs = shape.lathe.map((run) =>
      [run]
        .flat()
        .flatMap(pointsOf)
        .map(([radius = 0, height = 0]): Vec2 => [radius, height]),
    );
    const ripple = ribs && ((angle: number) => 1 + ribs.depth * Math.cos(angle * ribs.count));
    return createLathe(runs, { segments, ripple });
  }
  const { radius, mirror, flatten = 1 } = shape;
  const [start, end] = typeof radius === 'number' ? [radius, radius] : radius;
  const path = pointsOf(shape.tube);
  const signs = [1, -1];
  const tubes = (mirror === undefined ? [1] : signs).flatMap((signX) =>
    (mirror === 'xz' ? signs : [1]).map((signZ) =>
      createTube(
        path.map(([x = 0, y = 0, z = 0]): Vec3 => [signX * x, y, signZ * z]),
        (share) => start + (end - start) * share,
        { flatten },
      ),
    ),
  );
  return joinMeshes(...tubes);
}

function pointsOf(line: Line): readonly (readonly number[])[] {
  const [, kind = '', pieces, text = ''] = /^(?:(\w+)(?: (\d+))?: )?(.*)$/.exec(line) ?? [];
  const points = text.split(' ').map((point) => point.split(',').map(Number));
  if (kind === 'smooth') return smoothLine(points, Number(pieces));
  return computed[kind]?.(points.flat()) ?? points;
}

const computed: Readonly<Record<string, (numbers: readonly number[]) => readonly number[][]>> = {
  straight: ([x0 = 0, y0 = 0, z0 = 0, x1 = 0, y1 = 0, z1 = 0]) =>
    createShares(8).map((t) => [x0 + (x1 - x0) * t, y0 + (y1 - y0) * t, z0 + (z1 - z0) * t]),
  rim: ([radius = 0, height = 0, thickness = 0]) =>
    createShares(8).map((t) => [
      radius + thickness * Math.cos(t * Math.PI),
      height + thickness * Math.sin(t * Math.PI),
    ]),
  circle: ([radius = 0, height = 0]) =>
    createShares(64).map((t) => {
      const angle = t * Math.PI * 2;
      return [radius * Math.sin(angle), height, radius * Math.cos(angle)];
    }),
};

/** Returns numbers from 0 to 1 in this number of equal steps. */
function createShares(steps: number): number[] {
  return Array.from({ length: steps + 1 }, (_, step) => step / steps);
}
