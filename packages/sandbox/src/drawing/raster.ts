// Finds the visible triangle of each sample in a band: projection, clipping, z-buffer.
import type { Scene } from '../scene/scene.ts';
import type { Camera } from './camera.ts';

/**
 * Projected vertices: x and y in pixels, w = depth along the view. Anything not beyond the near plane is clipped.
 */
export type Projection = {
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly w: Float64Array;
};

export function projectScene(
  scene: Scene,
  camera: Camera,
  width: number,
  height: number,
): Projection {
  const count = scene.positions.length / 3;
  const x = new Float64Array(count);
  const y = new Float64Array(count);
  const w = new Float64Array(count);
  const { position, right, up, back } = camera;
  for (let vertex = 0; vertex < count; vertex += 1) {
    const dx = (scene.positions[vertex * 3] as number) - position[0];
    const dy = (scene.positions[vertex * 3 + 1] as number) - position[1];
    const dz = (scene.positions[vertex * 3 + 2] as number) - position[2];
    const depth = -(dx * back[0] + dy * back[1] + dz * back[2]);
    const vx = dx * right[0] + dy * right[1] + dz * right[2];
    const vy = dx * up[0] + dy * up[1] + dz * up[2];
    w[vertex] = depth;
    x[vertex] = (vx / depth / camera.halfWidth + 1) * 0.5 * width;
    y[vertex] = (1 - vy / depth / camera.halfHeight) * 0.5 * height;
  }
  return { x, y, w };
}

/** Rows of samples. `perPixel` is the number of samples per pixel side. */
export type Band = {
  readonly width: number;
  readonly firstRow: number;
  readonly rows: number;
  readonly perPixel: number;
  /** Nearness of the nearest surface: in pictures 1 / w, and 0 = none. */
  readonly depth: Float32Array;
  /** Index of the nearest triangle. -1 if there is none. */
  readonly triangle: Int32Array;
};

/** Creates a band of `pixelRows` rows of pixels, starting at row 0. `triangle` must be filled with -1 before use. */
export function createBand(width: number, pixelRows: number, perPixel: number): Band {
  const samples = width * perPixel * pixelRows * perPixel;
  return {
    width: width * perPixel,
    firstRow: 0,
    rows: pixelRows * perPixel,
    perPixel,
    depth: new Float32Array(samples),
    triangle: new Int32Array(samples),
  };
}

/** Decides whether a sample of a triangle with holes is solid. x and y are in pixels. */
export type HoleTest = (triangle: number, x: number, y: number) => boolean;

export type Corner = { readonly x: number; readonly y: number; readonly inverse: number };
export type Corners = readonly [Corner, Corner, Corner];

/** Draws a triangle into a band. `solid` is null for surfaces without holes. */
export function rasterTriangle(
  band: Band,
  triangle: number,
  [a, b, c]: Corners,
  solid: HoleTest | null,
): void {
  const n = band.perPixel;
  const offset = band.firstRow;
  const ax = a.x * n;
  const ay = a.y * n - offset;
  const abx = b.x * n - ax;
  const aby = b.y * n - offset - ay;
  const acx = c.x * n - ax;
  const acy = c.y * n - offset - ay;
  const area = abx * acy - aby * acx;
  if (area === 0) return;
  const left = Math.max(0, Math.ceil(Math.min(ax, ax + abx, ax + acx) - 0.5));
  const right = Math.min(band.width - 1, Math.floor(Math.max(ax, ax + abx, ax + acx) - 0.5));
  const top = Math.max(0, Math.ceil(Math.min(ay, ay + aby, ay + acy) - 0.5));
  const bottom = Math.min(band.rows - 1, Math.floor(Math.max(ay, ay + aby, ay + acy) - 0.5));
  if (left > right || top > bottom) return;
  const inverseArea = 1 / area;
  // The weights of b and c and the depth change by a constant per sample.
  const stepB = acy * inverseArea;
  const stepC = -aby * inverseArea;
  const deltaB = b.inverse - a.inverse;
  const deltaC = c.inverse - a.inverse;
  const stepDepth = stepB * deltaB + stepC * deltaC;
  const { depth, triangle: owner } = band;
  for (let row = top; row <= bottom; row += 1) {
    const qx = left + 0.5 - ax;
    const qy = row + 0.5 - ay;
    let weightB = (qx * acy - qy * acx) * inverseArea;
    let weightC = (qy * abx - qx * aby) * inverseArea;
    let inverse = a.inverse + weightB * deltaB + weightC * deltaC;
    let sampleIndex = row * band.width + left;
    for (let column = left; column <= right; column += 1, sampleIndex += 1) {
      if (
        weightB >= 0 &&
        weightC >= 0 &&
        weightB + weightC <= 1 &&
        inverse > (depth[sampleIndex] as number) &&
        (solid === null || solid(triangle, (column + 0.5) / n, (row + offset + 0.5) / n))
      ) {
        depth[sampleIndex] = inverse;
        owner[sampleIndex] = triangle;
      }
      weightB += stepB;
      weightC += stepC;
      inverse += stepDepth;
    }
  }
}

export type TriangleVisitor = (triangle: number, corners: Corners) => void;

/**
 * Calls the visitor for the visible pieces of a triangle: at most one, or two if the near plane cuts the triangle.
 * `cullBack` skips triangles that face away.
 */
export function visitTriangle(
  scene: Scene,
  projection: Projection,
  camera: Camera,
  picture: { readonly width: number; readonly height: number },
  triangle: number,
  cullBack: boolean,
  visit: TriangleVisitor,
): void {
  const { x, y, w } = projection;
  const a = scene.indices[triangle * 3] as number;
  const b = scene.indices[triangle * 3 + 1] as number;
  const c = scene.indices[triangle * 3 + 2] as number;
  const near = camera.near;
  const behind =
    ((w[a] as number) <= near ? 1 : 0) +
    ((w[b] as number) <= near ? 1 : 0) +
    ((w[c] as number) <= near ? 1 : 0);
  if (behind === 3) return;
  const corner = (vertex: number): Corner => ({
    x: x[vertex] as number,
    y: y[vertex] as number,
    inverse: 1 / (w[vertex] as number),
  });
  const piece = (corners: Corners): void => {
    // Rows count downwards, so a front face (counter-clockwise) has a negative area.
    if (cullBack && computeSignedArea(corners) >= 0) return;
    visit(triangle, corners);
  };
  if (behind === 0) return piece([corner(a), corner(b), corner(c)]);
  const polygon: Corner[] = [];
  for (const [from, to] of [
    [a, b],
    [b, c],
    [c, a],
  ] as const) {
    const wFrom = w[from] as number;
    const wTo = w[to] as number;
    if (wFrom > near) polygon.push(corner(from));
    if (wFrom > near === wTo > near) continue;
    const share = (near - wFrom) / (wTo - wFrom);
    polygon.push(cutCorner(projection, camera, picture, from, to, share));
  }
  for (let index = 1; index + 1 < polygon.length; index += 1) {
    piece([polygon[0] as Corner, polygon[index] as Corner, polygon[index + 1] as Corner]);
  }
}

/** Returns twice the area of a triangle. It is negative if the corners run counter-clockwise. */
export function computeSignedArea([a, b, c]: Corners): number {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

// Returns the point where an edge crosses the near plane, interpolated before the perspective division.
function cutCorner(
  { x, y, w }: Projection,
  camera: Camera,
  { width, height }: { readonly width: number; readonly height: number },
  from: number,
  to: number,
  share: number,
): Corner {
  const flat = (values: Float64Array, vertex: number, size: number): number =>
    ((values[vertex] as number) - size / 2) * (w[vertex] as number);
  const mix = (values: Float64Array, size: number): number =>
    (flat(values, from, size) * (1 - share) + flat(values, to, size) * share) / camera.near +
    size / 2;
  return { x: mix(x, width), y: mix(y, height), inverse: 1 / camera.near };
}
