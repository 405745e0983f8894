// Places the camera on the bookmark's line of sight, as close as the framed points and the margin allow.

import { computeSweptBody } from './compute-swept-body.ts';
import type { Bookmark } from './templates.ts';
import { addScaled, computeFrame, directionOf, dot, type Vec3 } from './vector.ts';

export type Camera = {
  readonly position: Vec3;
  readonly right: Vec3;
  readonly up: Vec3;
  /** Unit vector from the model towards the camera. */
  readonly back: Vec3;
  /** Half of the picture's width and height at distance 1. */
  readonly halfWidth: number;
  readonly halfHeight: number;
  /** The near plane. Nothing closer is drawn. */
  readonly near: number;
};

/** Maximum number of points for framing. If there are more points, only every n-th one counts. */
const maxFramingPoints = 20_000;

type Frame = Omit<Camera, 'position' | 'near'>;

/** Half size of the part of the picture that the model may fill, at distance 1. */
type Window = Pick<Camera, 'halfWidth' | 'halfHeight'>;

const maxMargin = 0.9;

function windowOf(frame: Frame, { margin, padding }: Bookmark): Window {
  const part = (free: number) => 1 - Math.min(maxMargin, Math.max(0, free));
  return {
    halfWidth: frame.halfWidth * part(padding?.x ?? margin),
    halfHeight: frame.halfHeight * part(padding?.y ?? margin),
  };
}

/** Frames the points (x, y, z, …) according to the bookmark. `aspect` is width / height. */
export function frameCamera(points: Float32Array, bookmark: Bookmark, aspect: number): Camera {
  const back = directionOf(bookmark.yawDegrees, bookmark.pitchDegrees);
  const tan = Math.tan((bookmark.fovDegrees * Math.PI) / 360);
  // The angle applies to the shorter side, so that portrait pictures are not wide-angle.
  const halfHeight = aspect >= 1 ? tan : tan / aspect;
  const frame = { ...computeFrame(back), back, halfHeight, halfWidth: halfHeight * aspect };
  const outline = projectPoints(bookmark.turning ? computeSweptBody(points) : points, frame);
  const window = windowOf(frame, bookmark);
  let centerX = 0;
  let centerY = 0;
  let distance = 1;
  for (let round = 0; round < 4; round += 1) {
    distance = computeFitDistance(outline, centerX, centerY, window);
    const shift = computeOffCenter(outline, centerX, centerY, distance);
    centerX += shift.x * distance;
    centerY += shift.y * distance;
  }
  distance = computeFitDistance(outline, centerX, centerY, window);
  let position: Vec3 = addScaled([0, 0, 0], frame.right, centerX);
  position = addScaled(position, frame.up, centerY);
  position = addScaled(position, back, distance);
  return { ...frame, position, near: distance * 1e-3 };
}

// Converts points to the camera's axes: right, up, towards the camera.
function projectPoints(points: Float32Array, frame: Frame): Float64Array {
  const count = Math.floor(points.length / 3);
  const step = Math.max(1, Math.ceil(count / maxFramingPoints));
  const out = new Float64Array(Math.ceil(count / step) * 3);
  for (let index = 0, offset = 0; index < count; index += step, offset += 3) {
    const first = index * 3;
    const point: Vec3 = [points[first] ?? 0, points[first + 1] ?? 0, points[first + 2] ?? 0];
    out[offset] = dot(point, frame.right);
    out[offset + 1] = dot(point, frame.up);
    out[offset + 2] = dot(point, frame.back);
  }
  return out;
}

function computeFitDistance(
  outline: Float64Array,
  centerX: number,
  centerY: number,
  window: Window,
) {
  let distance = -Infinity;
  let depthMin = Infinity;
  let depthMax = -Infinity;
  for (let offset = 0; offset < outline.length; offset += 3) {
    const x = Math.abs((outline[offset] ?? 0) - centerX) / window.halfWidth;
    const y = Math.abs((outline[offset + 1] ?? 0) - centerY) / window.halfHeight;
    const depth = outline[offset + 2] ?? 0;
    distance = Math.max(distance, depth + x, depth + y);
    depthMin = Math.min(depthMin, depth);
    depthMax = Math.max(depthMax, depth);
  }
  if (outline.length === 0) return 1;
  // A model that is a point, or a line seen end-on, still needs a camera outside of it.
  const apart = Math.max((depthMax - depthMin) * 0.05, Math.abs(depthMax) * 1e-3, 1e-4);
  return Math.max(distance, depthMax + apart);
}

function computeOffCenter(
  outline: Float64Array,
  centerX: number,
  centerY: number,
  distance: number,
) {
  let [left, right, bottom, top] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let offset = 0; offset < outline.length; offset += 3) {
    const depth = distance - (outline[offset + 2] ?? 0);
    const x = ((outline[offset] ?? 0) - centerX) / depth;
    const y = ((outline[offset + 1] ?? 0) - centerY) / depth;
    left = Math.min(left, x);
    right = Math.max(right, x);
    bottom = Math.min(bottom, y);
    top = Math.max(top, y);
  }
  if (outline.length === 0) return { x: 0, y: 0 };
  return { x: (left + right) / 2, y: (bottom + top) / 2 };
}
