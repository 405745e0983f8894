// Transforms of glTF nodes as matrices of 16 numbers, column by column.
import type { JsonObject } from './gltf-json.ts';

export type Matrix = readonly number[];

export type Box = { readonly min: readonly number[]; readonly max: readonly number[] };

export const identity: Matrix = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

/** The transform of a node relative to its parent; null if a part is not a list of finite numbers. */
export function localMatrix(node: JsonObject): Matrix | null {
  if (node['matrix'] !== undefined) return numbersOf(node['matrix'], 16);
  const translation = numbersOf(node['translation'] ?? [0, 0, 0], 3);
  const rotation = numbersOf(node['rotation'] ?? [0, 0, 0, 1], 4);
  const scale = numbersOf(node['scale'] ?? [1, 1, 1], 3);
  if (translation === null || rotation === null || scale === null) return null;
  return compose(translation, rotation, scale);
}

function numbersOf(value: unknown, length: number): number[] | null {
  const isValid = Array.isArray(value) && value.length === length && value.every(Number.isFinite);
  return isValid ? value : null;
}

function compose(
  [tx = 0, ty = 0, tz = 0]: readonly number[],
  [x = 0, y = 0, z = 0, w = 1]: readonly number[],
  [sx = 1, sy = 1, sz = 1]: readonly number[],
): Matrix {
  return [
    ...[1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)].map((n) => n * sx),
    0,
    ...[2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)].map((n) => n * sy),
    0,
    ...[2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)].map((n) => n * sz),
    0,
    tx,
    ty,
    tz,
    1,
  ];
}

export function multiply(one: Matrix, other: Matrix): Matrix {
  return one.map((_, place) => {
    const row = place % 4;
    const column = place - row;
    let sum = 0;
    for (let k = 0; k < 4; k += 1) sum += (one[4 * k + row] ?? 0) * (other[column + k] ?? 0);
    return sum;
  });
}

/** The box around a transformed box. */
export function transformBox(matrix: Matrix, { min, max }: Box): Box {
  const low = [0, 1, 2].map((row) => matrix[12 + row] ?? 0);
  const high = [...low];
  for (const [row] of low.entries()) {
    for (let column = 0; column < 3; column += 1) {
      const factor = matrix[4 * column + row] ?? 0;
      const ends = [factor * (min[column] ?? 0), factor * (max[column] ?? 0)];
      low[row] = (low[row] ?? 0) + Math.min(...ends);
      high[row] = (high[row] ?? 0) + Math.max(...ends);
    }
  }
  return { min: low, max: high };
}
