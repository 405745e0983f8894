// Measures slots of a captured model: which views show them, their size, and their distance from the model's edges.

import { type Camera, frameCamera } from '../drawing/camera.ts';
import { cross, dot, subtract, type Vec3 } from '../drawing/vector.ts';
import type { Scene } from '../scene/scene.ts';
import { type CloseUpSide, type Placement, viewNames } from '../state/production-records.ts';
import { viewCamera } from './view-cameras.ts';

/** A view shows a slot if it faces at least this share of the slot's surface. */
const minShare = 0.12;
const millimetres = 1000;

interface SideMeasure<Side extends CloseUpSide = CloseUpSide> {
  readonly side: Side;
  readonly camera: Camera;
  /** Area of the surface that faces the camera, as projected. */
  readonly area: number;
  readonly share: number;
  readonly center: Vec3;
  readonly extent: ReturnType<typeof extentOf>;
}

/** Measures a slot. @param wornMaterials material index of each part under the captured variant */
export function measureSlot(
  scene: Scene,
  wornMaterials: readonly number[],
  slot: { readonly id: string; readonly materialIndex: number },
): Placement {
  const facing = <Side extends CloseUpSide>(side: Side) =>
    measureSide(scene, wornMaterials, slot.materialIndex, side);
  const visibleSides = viewNames
    .map(facing)
    .filter(({ share }) => share >= minShare)
    .sort(largestFirst);
  const marks = visibleSides.map(({ side, camera, center }) => ({
    view: side,
    ...project(center, camera),
  }));
  const [best] = visibleSides;
  if (best) {
    const { left, top, ...zone } = millimetresOf(scene, best);
    return { slotId: slot.id, marks, zoneMm: zone, fromMm: { left, top } };
  }
  // A slot that none of the four sides shows faces up or down, such as a label under a seat.
  const [hidden] = (['above', 'below'] as const)
    .map(facing)
    .filter(({ area }) => area > 0)
    .sort(largestFirst);
  if (!hidden) return { slotId: slot.id, marks };
  const { width, height } = millimetresOf(scene, hidden);
  return { slotId: slot.id, marks, hiddenSide: hidden.side, zoneMm: { width, height } };
}

function largestFirst(a: SideMeasure, b: SideMeasure): number {
  return b.area - a.area;
}

/** Returns the size of the zone, and its centre measured from the product's left and top edge in this view. */
function millimetresOf(scene: Scene, { camera, extent }: SideMeasure) {
  const productExtent = extentOf(scene.positions, camera);
  return {
    width: Math.round((extent.right - extent.left) * millimetres),
    height: Math.round((extent.top - extent.bottom) * millimetres),
    left: Math.round(((extent.left + extent.right) / 2 - productExtent.left) * millimetres),
    top: Math.round((productExtent.top - (extent.top + extent.bottom) / 2) * millimetres),
  };
}

function measureSide<Side extends CloseUpSide>(
  scene: Scene,
  wornMaterials: readonly number[],
  material: number,
  side: Side,
): SideMeasure<Side> {
  const camera = frameCamera(scene.positions, viewCamera(side), 1);
  let total = 0;
  let area = 0;
  const sum = [0, 0, 0];
  const visiblePoints: number[] = [];
  visitTriangles(scene, wornMaterials, material, (a, b, c) => {
    const normal = cross(subtract(b, a), subtract(c, a));
    const size = Math.hypot(...normal) / 2;
    total += size;
    const towards = dot(normal, camera.back) / 2;
    if (towards <= size * 0.3) return;
    area += towards;
    for (let axis = 0; axis < 3; axis += 1) {
      const share = ((a[axis] ?? 0) + (b[axis] ?? 0) + (c[axis] ?? 0)) / 3;
      sum[axis] = (sum[axis] ?? 0) + share * towards;
    }
    visiblePoints.push(...a, ...b, ...c);
  });
  const middle: Vec3 = [(sum[0] ?? 0) / area, (sum[1] ?? 0) / area, (sum[2] ?? 0) / area];
  const share = total === 0 ? 0 : area / total;
  const center = nearestOf(visiblePoints, middle);
  return { side, camera, area, share, center, extent: extentOf(visiblePoints, camera) };
}

/** Returns the triangle centre nearest to a point, because the point itself may lie between two legs. */
function nearestOf(corners: readonly number[], point: Vec3): Vec3 {
  let nearest = point;
  let minDistance = Infinity;
  const part = (offset: number) => corners[offset] ?? 0;
  for (let offset = 0; offset < corners.length; offset += 9) {
    const middle: Vec3 = [
      (part(offset) + part(offset + 3) + part(offset + 6)) / 3,
      (part(offset + 1) + part(offset + 4) + part(offset + 7)) / 3,
      (part(offset + 2) + part(offset + 5) + part(offset + 8)) / 3,
    ];
    const distance = Math.hypot(...subtract(middle, point));
    if (distance >= minDistance) continue;
    minDistance = distance;
    nearest = middle;
  }
  return nearest;
}

function visitTriangles(
  { parts, indices, positions }: Scene,
  wornMaterials: readonly number[],
  material: number,
  visit: (a: Vec3, b: Vec3, c: Vec3) => void,
): void {
  const point = (corner: number): Vec3 => {
    const offset = (indices[corner] ?? 0) * 3;
    return [positions[offset] ?? 0, positions[offset + 1] ?? 0, positions[offset + 2] ?? 0];
  };
  parts.forEach(({ firstTriangle, triangleCount }, part) => {
    if (wornMaterials[part] !== material) return;
    for (let index = firstTriangle; index < firstTriangle + triangleCount; index += 1) {
      visit(point(index * 3), point(index * 3 + 1), point(index * 3 + 2));
    }
  });
}

/** Returns a point in space as shares of the picture, from the left and from the top. */
function project(point: Vec3, { position, right, up, back, halfWidth, halfHeight }: Camera) {
  const fromCamera = subtract(point, position);
  const depth = -dot(fromCamera, back);
  const share = (value: number) => Math.round(value * 10_000) / 10_000;
  return {
    x: share(0.5 + dot(fromCamera, right) / (depth * halfWidth) / 2),
    y: share(0.5 - dot(fromCamera, up) / (depth * halfHeight) / 2),
  };
}

function extentOf(points: ArrayLike<number>, { right, up }: Camera) {
  const extent = { left: Infinity, right: -Infinity, bottom: Infinity, top: -Infinity };
  for (let offset = 0; offset < points.length; offset += 3) {
    const point: Vec3 = [points[offset] ?? 0, points[offset + 1] ?? 0, points[offset + 2] ?? 0];
    const [x, y] = [dot(point, right), dot(point, up)];
    extent.left = Math.min(extent.left, x);
    extent.right = Math.max(extent.right, x);
    extent.bottom = Math.min(extent.bottom, y);
    extent.top = Math.max(extent.top, y);
  }
  return extent;
}
