// The cylinder that a model sweeps when it turns around its vertical axis, as points on its two rims.

const pointsPerRim = 48;

/** Rim points (x, y, z, …) of the smallest vertical cylinder around these points and the centre of their box. */
export function sweptBody(points: Float32Array): Float32Array {
  const min: [number, number, number] = [Infinity, Infinity, Infinity];
  const max: [number, number, number] = [-Infinity, -Infinity, -Infinity];
  for (let offset = 0; offset < points.length; offset += 1) {
    const value = points[offset] as number;
    const axis = (offset % 3) as 0 | 1 | 2;
    if (value < min[axis]) min[axis] = value;
    if (value > max[axis]) max[axis] = value;
  }
  if (points.length === 0) return points;
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
