// Draws background and floor: a gradient, a fading floor colour and shadows.
import type { Scene } from '../scene/scene.ts';
import type { Camera } from './camera.ts';
import { linearOfHex } from './color.ts';
import { computeDarkness, type FloorShadow } from './light/floor-shadow.ts';
import type { Shade } from './shader.ts';
import type { Backdrop } from './templates.ts';

export type BackdropInput = {
  readonly backdrop: Backdrop;
  readonly camera: Camera;
  readonly shadow: FloorShadow;
  readonly scene: Scene;
  readonly width: number;
  readonly height: number;
};

/** Returns a function that writes the backdrop's linear colour at a pixel to `out`. */
export function createBackdrop(input: BackdropInput): (x: number, y: number, out: Shade) => void {
  const { backdrop, camera, shadow } = input;
  const top = linearOfHex(backdrop.top);
  const bottom = linearOfHex(backdrop.bottom);
  const floor = backdrop.floor === null ? null : linearOfHex(backdrop.floor);
  const { position, right, up, back } = camera;
  const { min, max } = input.scene;
  const centerX = (min[0] + max[0]) / 2;
  const centerZ = (min[2] + max[2]) / 2;
  const reach = Math.max(max[0] - min[0], max[2] - min[2], (max[1] - min[1]) * 0.7, 1e-9);
  const cameraHeight = position[1] - shadow.height;
  return (x, y, out) => {
    const down = y / input.height;
    const mix = down * down * (3 - 2 * down);
    out.red = top[0] + (bottom[0] - top[0]) * mix;
    out.green = top[1] + (bottom[1] - top[1]) * mix;
    out.blue = top[2] + (bottom[2] - top[2]) * mix;
    out.alpha = 1;
    const sx = ((x / input.width) * 2 - 1) * camera.halfWidth;
    const sy = (1 - down * 2) * camera.halfHeight;
    const rayY = right[1] * sx + up[1] * sy - back[1];
    if (rayY >= -1e-6 || cameraHeight <= 0) return;
    const distance = -cameraHeight / rayY;
    const floorX = position[0] + (right[0] * sx + up[0] * sy - back[0]) * distance;
    const floorZ = position[2] + (right[2] * sx + up[2] * sy - back[2]) * distance;
    if (floor !== null) {
      const apartX = (floorX - centerX) / reach;
      const apartZ = (floorZ - centerZ) / reach;
      const pool = Math.exp((apartX * apartX + apartZ * apartZ) * -0.35);
      out.red += (floor[0] - out.red) * pool;
      out.green += (floor[1] - out.green) * pool;
      out.blue += (floor[2] - out.blue) * pool;
    }
    const light = 1 - computeDarkness(shadow, floorX, floorZ) * backdrop.shadow;
    out.red *= light;
    out.green *= light;
    out.blue *= light;
  };
}
