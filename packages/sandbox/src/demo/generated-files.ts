// Small files for pipeline tests: box models and pictures. The same arguments always result in the same bytes.
import sharp from 'sharp';
import { hexOfBytes } from '../drawing/color.ts';
import type { Vec3 } from '../drawing/vector.ts';
import type { Rgb } from '../scene/scene-types.ts';
import { randomFraction } from '../state/seeded-random.ts';
import type { Mesh } from './mesh.ts';
import { moveMesh } from './mesh.ts';
import { encodeProduct, type ProductPart } from './product.ts';

const side = 0.2;
const pixels = 64;

/** Creates a GLB with a box for each slot. @param name name of the scene. Different names yield different bytes */
export function createModel(name: string, slots: readonly string[]): Promise<Uint8Array> {
  const parts = slots.map((slot, index): ProductPart => {
    const mesh = moveMesh(box, [index * 1.5 * side, 0, 0]);
    return {
      name: slot,
      mesh,
      finish: { name: slot, color: hexOfBytes(colorOf(name, slot)), roughness: 0.6 },
    };
  });
  return encodeProduct({ name, parts });
}

/** Creates a picture of two colours: a JPEG if the name ends in `.jpg` or `.jpeg`, otherwise a PNG. */
export function createPicture(name: string): Promise<Uint8Array> {
  const [leftColor, rightColor] = [colorOf(name, 'one'), colorOf(name, 'other')];
  const data = Uint8Array.from({ length: pixels * pixels * 3 }, (_, offset) => {
    const x = Math.floor(offset / 3) % pixels;
    return ((x < pixels / 2 ? leftColor : rightColor)[offset % 3] ?? 0) as number;
  });
  const image = sharp(data, { raw: { width: pixels, height: pixels, channels: 3 } });
  return (/\.jpe?g$/i.test(name) ? image.jpeg() : image.png()).toBuffer();
}

function colorOf(...seeds: string[]): Rgb {
  const channel = (index: number) => 40 + Math.floor(randomFraction(index, ...seeds) * 180);
  return [channel(0), channel(1), channel(2)];
}

const axes = [
  [0, 1, 2],
  [1, 2, 0],
  [2, 0, 1],
] as const;
const corners = [
  [-1, -1],
  [1, -1],
  [1, 1],
  [-1, 1],
] as const;

/** Six faces with separate corners. */
const box: Mesh = createBoxMesh();

function createBoxMesh(): Mesh {
  const faces = axes.flatMap((axis) => [1, -1].map((sign) => ({ axis, sign })));
  const along = (values: readonly (readonly [number, number])[]): Vec3 => {
    const point = [0, 0, 0];
    for (const [axis, value] of values) point[axis] = value;
    return [point[0] ?? 0, point[1] ?? 0, point[2] ?? 0];
  };
  return {
    positions: faces.flatMap(({ axis: [a, b, c], sign }) =>
      corners.map(([u, v]) =>
        along([
          [a, (sign * side) / 2],
          [b, (u * sign * side) / 2],
          [c, (v * side) / 2],
        ]),
      ),
    ),
    normals: faces.flatMap(({ axis: [a], sign }) => corners.map(() => along([[a, sign]]))),
    uvs: faces.flatMap(() => corners.map(([u, v]) => [(u + 1) / 2, (v + 1) / 2] as const)),
    indices: faces.flatMap((_, face) => [0, 1, 2, 0, 2, 3].map((offset) => face * 4 + offset)),
  };
}
