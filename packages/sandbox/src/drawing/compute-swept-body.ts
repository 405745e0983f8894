// The cylinder that a model sweeps when it turns around its vertical axis, as points on its two rims.
import { boundsOf } from '../scene/scene.ts';

const pointsPerRim = 48;

/** Returns rim points (x, y, z, …) of the smallest vertical cylinder around the points and their box's centre. */
export function computeSweptBody(points: Float32Array): Float32Array {
  if (points.length === 0) return points;
  const { min, max } = boundsOf(points);
  const centerX = (min[0] + max[0]) / 2;
  const centerZ = (min[2] + max[2]) / 2;
  let radius = 0;
  for (let offset = 0; offset < points.length; offset += 3) {
    const apart = Math.hypot(
      (points[offset] as number) - centerX,
      (points[offset + 2] as number) - centerZ,
    );
    if (apart > radius) radius = apart;
  }
  const body = new Float32Array(pointsPerRim * 6);
  for (let index = 0; index < pointsPerRim; index += 1) {
    const angle = (index / pointsPerRim) * 2 * Math.PI;
    const x = centerX + Math.sin(angle) * radius;
    const z = centerZ + Math.cos(angle) * radius;
    body.set([x, min[1], z, x, max[1], z], index * 6);
  }
  return body;
}
