// Three-component vectors, for code that is not performance-critical.

export type Vec3 = readonly [number, number, number];

export function dot(a: Vec3, b: Vec3): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

export function cross(a: Vec3, b: Vec3): Vec3 {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

export function normalize(a: Vec3): Vec3 {
  const length = Math.hypot(a[0], a[1], a[2]) || 1;
  return [a[0] / length, a[1] / length, a[2] / length];
}

export function subtract(a: Vec3, b: Vec3): Vec3 {
  return [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
}

/** Returns a + b·scale. */
export function addScaled(a: Vec3, b: Vec3, scale: number): Vec3 {
  return [a[0] + b[0] * scale, a[1] + b[1] * scale, a[2] + b[2] * scale];
}

/** Returns the unit vector pointing from the model towards a viewer or light at these angles. */
export function directionOf(yawDegrees: number, pitchDegrees: number): Vec3 {
  const yaw = (yawDegrees * Math.PI) / 180;
  const pitch = (pitchDegrees * Math.PI) / 180;
  return [Math.sin(yaw) * Math.cos(pitch), Math.sin(pitch), Math.cos(yaw) * Math.cos(pitch)];
}

/** Returns the right and up axes of a camera that looks along `-back`. Up is as close to +y as possible. */
export function computeFrame(back: Vec3): { right: Vec3; up: Vec3 } {
  const pole: Vec3 = Math.abs(back[1]) > 0.999 ? [0, 0, -Math.sign(back[1])] : [0, 1, 0];
  const right = normalize(cross(pole, back));
  return { right, up: cross(back, right) };
}
