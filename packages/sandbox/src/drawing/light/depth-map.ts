// Depth maps of a model, seen from a light (for shadows) and from below (for contact with the floor).
import type { Scene } from '../../scene/scene.ts';
import { type Corner, createBand, rasterTriangle } from '../raster.ts';
import { computeFrame, type Vec3 } from '../vector.ts';

export type DepthMap = {
  readonly size: number;
  /** Position along `back` of the surface nearest to the viewer. -Infinity if there is none. */
  readonly nearest: Float32Array;
  readonly right: Vec3;
  readonly up: Vec3;
  readonly back: Vec3;
  /** Factor that converts world to map: x·scale + offset. */
  readonly scale: number;
  readonly offsetX: number;
  readonly offsetY: number;
  /** Length of one cell in world units. */
  readonly cell: number;
};

/** Renders the parts that pass `isCasting`, seen from `back`, with `size` cells per side. */
export function createDepthMap(
  scene: Scene,
  back: Vec3,
  size: number,
  isCasting: (part: number) => boolean,
): DepthMap {
  const { right, up } = computeFrame(back);
  const count = scene.positions.length / 3;
  const x = new Float32Array(count);
  const y = new Float32Array(count);
  const depth = new Float32Array(count);
  let [minX, maxX, minY, maxY] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let vertex = 0; vertex < count; vertex += 1) {
    const offset = vertex * 3;
    const px = scene.positions[offset] as number;
    const py = scene.positions[offset + 1] as number;
    const pz = scene.positions[offset + 2] as number;
    const vx = px * right[0] + py * right[1] + pz * right[2];
    const vy = px * up[0] + py * up[1] + pz * up[2];
    x[vertex] = vx;
    y[vertex] = vy;
    depth[vertex] = px * back[0] + py * back[1] + pz * back[2];
    minX = vx < minX ? vx : minX;
    maxX = vx > maxX ? vx : maxX;
    minY = vy < minY ? vy : minY;
    maxY = vy > maxY ? vy : maxY;
  }
  const span = Math.max(maxX - minX, maxY - minY, 1e-9);
  const scale = (size - 4) / span;
  const offsetX = size / 2 - ((minX + maxX) / 2) * scale;
  const offsetY = size / 2 - ((minY + maxY) / 2) * scale;
  for (let vertex = 0; vertex < count; vertex += 1) {
    x[vertex] = (x[vertex] as number) * scale + offsetX;
    y[vertex] = (y[vertex] as number) * scale + offsetY;
  }
  const band = createBand(size, size, 1);
  band.depth.fill(-Infinity);
  const corner = (offset: number): Corner => {
    const vertex = scene.indices[offset] as number;
    return { x: x[vertex] as number, y: y[vertex] as number, inverse: depth[vertex] as number };
  };
  scene.parts.forEach((part, index) => {
    if (!isCasting(index)) return;
    const end = part.firstTriangle + part.triangleCount;
    for (let triangle = part.firstTriangle; triangle < end; triangle += 1) {
      const first = triangle * 3;
      const corners = [corner(first), corner(first + 1), corner(first + 2)] as const;
      rasterTriangle(band, triangle, corners, null);
    }
  });
  return { size, nearest: band.depth, right, up, back, scale, offsetX, offsetY, cell: 1 / scale };
}

/**
 * Returns the share of the light that reaches a point, where 1 is all of it. Averages the cells within `radius` cells.
 * `bias` (world units) keeps surfaces from shadowing themselves.
 */
export function computeLightShare(
  map: DepthMap,
  px: number,
  py: number,
  pz: number,
  bias: number,
  radius: number,
): number {
  const { right, up, back, size, nearest } = map;
  const x = (px * right[0] + py * right[1] + pz * right[2]) * map.scale + map.offsetX - 0.5;
  const y = (px * up[0] + py * up[1] + pz * up[2]) * map.scale + map.offsetY - 0.5;
  const limit = px * back[0] + py * back[1] + pz * back[2] + bias;
  const x0 = Math.floor(x - radius);
  const y0 = Math.floor(y - radius);
  const last = Math.floor(radius * 2) + 1;
  const fx = x - radius - x0;
  const fy = y - radius - y0;
  let lit = 0;
  let total = 0;
  // Cells at the edge count by their share of the window, so that shadow edges are smooth.
  for (let j = 0; j <= last; j += 1) {
    const wy = j === 0 ? 1 - fy : j === last ? fy : 1;
    const cellY = y0 + j;
    for (let i = 0; i <= last; i += 1) {
      const weight = wy * (i === 0 ? 1 - fx : i === last ? fx : 1);
      const cellX = x0 + i;
      total += weight;
      if (cellX < 0 || cellY < 0 || cellX >= size || cellY >= size) lit += weight;
      else if ((nearest[cellY * size + cellX] as number) <= limit) lit += weight;
    }
  }
  return total > 0 ? lit / total : 1;
}
