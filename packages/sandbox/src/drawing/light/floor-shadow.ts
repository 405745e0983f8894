// Shadows on the floor: the key light's shadow, and the dark contact line under the model.
import type { Scene } from '../../scene/scene.ts';
import type { Vec3 } from '../vector.ts';
import { computeLightShare, type DepthMap } from './depth-map.ts';

const gridSize = 160;

export type FloorShadow = {
  readonly height: number;
  /** Share of lost light by floor cell, 0 to 1. */
  readonly dark: Float32Array;
  readonly left: number;
  readonly back: number;
  readonly cell: number;
};

/** Computes the darkness of the floor. Both depth maps must be of this scene. */
export function createFloorShadow(
  scene: Scene,
  fromKey: DepthMap,
  fromBelow: DepthMap,
): FloorShadow {
  const [minX, minY, minZ] = scene.min;
  const [maxX, maxY, maxZ] = scene.max;
  const extent = Math.max(maxX - minX, maxZ - minZ, (maxY - minY) * 0.6, 1e-9);
  const span = extent * 2.6;
  const cell = span / gridSize;
  const left = (minX + maxX) / 2 - span / 2;
  const back = (minZ + maxZ) / 2 - span / 2;
  const cast = new Float32Array(gridSize * gridSize);
  const touch = new Float32Array(gridSize * gridSize);
  const reach = Math.max(maxX - minX, maxY - minY, maxZ - minZ) * 0.1 + 1e-12;
  for (let row = 0; row < gridSize; row += 1) {
    for (let column = 0; column < gridSize; column += 1) {
      const x = left + (column + 0.5) * cell;
      const z = back + (row + 0.5) * cell;
      const offset = row * gridSize + column;
      cast[offset] = 1 - computeLightShare(fromKey, x, minY, z, fromKey.cell * 2, 0.5);
      touch[offset] = computeCloseness(fromBelow, [x, minY, z], reach);
    }
  }
  blur(cast, 4);
  blur(touch, 2);
  blur(touch, 3);
  const dark = cast.map(
    (value, index) => 1 - (1 - value * 0.55) * (1 - (touch[index] as number) * 0.75),
  );
  return { height: minY, dark, left, back, cell };
}

// 1 where the model touches the floor, decreasing with the gap beneath it.
function computeCloseness(map: DepthMap, [x, y, z]: Vec3, reach: number): number {
  const { right, up, size } = map;
  const cellX = Math.floor((x * right[0] + y * right[1] + z * right[2]) * map.scale + map.offsetX);
  const cellY = Math.floor((x * up[0] + y * up[1] + z * up[2]) * map.scale + map.offsetY);
  if (cellX < 0 || cellY < 0 || cellX >= size || cellY >= size) return 0;
  const nearest = map.nearest[cellY * size + cellX] as number;
  return nearest === -Infinity ? 0 : Math.exp(-Math.max(0, -y - nearest) / reach);
}

// Three box passes approximate a Gaussian.
function blur(grid: Float32Array, radius: number): void {
  const line = new Float32Array(gridSize);
  for (let pass = 0; pass < 3; pass += 1) {
    for (let index = 0; index < gridSize; index += 1) {
      blurLine(grid, line, index * gridSize, 1, radius);
      blurLine(grid, line, index, gridSize, radius);
    }
  }
}

function blurLine(
  grid: Float32Array,
  line: Float32Array,
  start: number,
  step: number,
  radius: number,
): void {
  let sum = 0;
  for (let offset = 0; offset < gridSize; offset += 1)
    line[offset] = grid[start + offset * step] as number;
  for (let offset = -radius; offset < gridSize; offset += 1) {
    if (offset + radius < gridSize) sum += line[offset + radius] as number;
    if (offset - radius - 1 >= 0) sum -= line[offset - radius - 1] as number;
    if (offset >= 0) grid[start + offset * step] = Math.max(0, sum / (radius * 2 + 1));
  }
}

/** Returns the darkness at a floor point, interpolated between cells. It is 0 far away. */
export function computeDarkness(shadow: FloorShadow, x: number, z: number): number {
  const column = (x - shadow.left) / shadow.cell - 0.5;
  const row = (z - shadow.back) / shadow.cell - 0.5;
  if (!(column >= 0 && row >= 0 && column < gridSize - 1 && row < gridSize - 1)) return 0;
  const offset = Math.floor(row) * gridSize + Math.floor(column);
  const fx = column - Math.floor(column);
  const fy = row - Math.floor(row);
  const { dark } = shadow;
  const top = (dark[offset] as number) * (1 - fx) + (dark[offset + 1] as number) * fx;
  const bottom =
    (dark[offset + gridSize] as number) * (1 - fx) + (dark[offset + gridSize + 1] as number) * fx;
  return top * (1 - fy) + bottom * fy;
}
