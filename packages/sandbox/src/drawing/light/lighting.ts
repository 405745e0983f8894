// Lights surface points: a soft sky, three distant lights, and shadows of the key light.
import { linearOfHex } from '../color.ts';
import type { Bookmark, Light, TemplateLook } from '../templates.ts';
import { directionOf, type Vec3 } from '../vector.ts';
import { computeLightShare, type DepthMap } from './depth-map.ts';

export type PreparedLight = {
  readonly direction: Vec3;
  /** Linear colour times intensity. */
  readonly color: Vec3;
};

export type Lighting = {
  readonly key: PreparedLight;
  readonly others: readonly PreparedLight[];
  readonly sky: Vec3;
  readonly horizon: Vec3;
  readonly ground: Vec3;
  readonly exposure: number;
};

/** Computes the direction of a look's key light for a bookmark. */
export function computeKeyDirection(look: TemplateLook, bookmark: Bookmark): Vec3 {
  return directionOf(bookmark.yawDegrees + look.key.yawDegrees, look.key.pitchDegrees);
}

export function prepareLighting(look: TemplateLook, bookmark: Bookmark): Lighting {
  const prepare = (light: Light): PreparedLight => ({
    direction: directionOf(bookmark.yawDegrees + light.yawDegrees, light.pitchDegrees),
    color: scale(linearOfHex(light.color), light.intensity),
  });
  return {
    key: prepare(look.key),
    others: [prepare(look.fill), prepare(look.rim)],
    sky: scale(linearOfHex(look.sky), look.ambient),
    horizon: scale(linearOfHex(look.horizon), look.ambient),
    ground: scale(linearOfHex(look.ground), look.ambient),
    exposure: look.exposure,
  };
}

function scale(color: readonly [number, number, number], factor: number): Vec3 {
  return [color[0] * factor, color[1] * factor, color[2] * factor];
}

/**
 * A surface point to light. The object is reused to avoid allocations in the inner loop. `n` is the shading normal
 * and `g` the triangle's normal, both facing the viewer. `v` is the unit vector towards the viewer.
 */
export type SurfacePoint = Record<
  | ('x' | 'y' | 'z' | 'nx' | 'ny' | 'nz' | 'gx' | 'gy' | 'gz' | 'vx' | 'vy' | 'vz')
  | ('red' | 'green' | 'blue' | 'sheenRed' | 'sheenGreen' | 'sheenBlue')
  | ('metallic' | 'roughness' | 'occlusion' | 'clearcoat'),
  number
>;

/** Light that leaves a point: diffuse, which fades with alpha, and specular (`mirror…`), which fades less or not. */
export type LeavingLight = Record<
  'red' | 'green' | 'blue' | 'mirrorRed' | 'mirrorGreen' | 'mirrorBlue',
  number
>;

function smooth(low: number, high: number, value: number): number {
  const t = Math.min(1, Math.max(0, (value - low) / (high - low)));
  return t * t * (3 - 2 * t);
}

/** Lights the points of one drawing. `shadows` is the key light's depth map. */
export function createLighter(
  lighting: Lighting,
  shadows: DepthMap,
): (point: SurfacePoint, out: LeavingLight) => void {
  const { key, others, sky, horizon, ground } = lighting;
  const lights = [key, ...others];
  // Reflected environment in a direction with height y, blurred by roughness: floor, horizon, sky.
  const surroundings = (y: number, roughness: number, channel: 0 | 1 | 2): number => {
    const soft = 0.12 + roughness * 0.9;
    const upper = smooth(-soft * 0.4, soft, y);
    const lower = smooth(-soft * 0.4, soft, -y);
    return (
      sky[channel] * upper * 1.15 +
      ground[channel] * lower +
      horizon[channel] * (1 - upper - lower) * 0.85
    );
  };
  return (p, out) => {
    const facing = Math.max(0, p.nx * p.vx + p.ny * p.vy + p.nz * p.vz);
    const rx = 2 * facing * p.nx - p.vx;
    const ry = 2 * facing * p.ny - p.vy;
    const rz = 2 * facing * p.nz - p.vz;
    const rough = Math.min(1, Math.max(0.06, p.roughness));
    const grazing = 1 - facing;
    const fresnel = grazing * grazing * grazing * grazing * grazing;
    const dielectric = 1 - p.metallic;
    const edge = (1 - rough) * fresnel;
    const mirrorRed = 0.04 * dielectric + p.red * p.metallic;
    const mirrorGreen = 0.04 * dielectric + p.green * p.metallic;
    const mirrorBlue = 0.04 * dielectric + p.blue * p.metallic;
    const reflectRed = mirrorRed + edge * (1 - mirrorRed);
    const reflectGreen = mirrorGreen + edge * (1 - mirrorGreen);
    const reflectBlue = mirrorBlue + edge * (1 - mirrorBlue);
    const up = 0.5 + 0.5 * p.ny;
    const side = 1 - Math.abs(p.ny);
    const ambient = (channel: 0 | 1 | 2): number =>
      (sky[channel] * up + ground[channel] * (1 - up)) * (1 - side * 0.35) +
      horizon[channel] * side * 0.35;
    let diffuseRed = ambient(0) * p.occlusion;
    let diffuseGreen = ambient(1) * p.occlusion;
    let diffuseBlue = ambient(2) * p.occlusion;
    const openness = p.occlusion * 0.7 + 0.3;
    let specRed = surroundings(ry, rough, 0) * openness;
    let specGreen = surroundings(ry, rough, 1) * openness;
    let specBlue = surroundings(ry, rough, 2) * openness;
    let coat = p.clearcoat > 0 ? surroundings(ry, 0.05, 1) : 0;
    const spread = 0.004 + rough * rough * 0.35;
    const peak = 0.9 / (1 + rough * rough * 9);
    for (let index = 0; index < lights.length; index += 1) {
      const { direction, color } = lights[index] as PreparedLight;
      const facingLight = p.nx * direction[0] + p.ny * direction[1] + p.nz * direction[2];
      const flatFacing = p.gx * direction[0] + p.gy * direction[1] + p.gz * direction[2];
      let reach = 1;
      if (index === 0 && facingLight > 0) {
        const slope = Math.min(4, 1 / Math.max(0.2, Math.abs(flatFacing)));
        const bias = shadows.cell * 1.6 * slope;
        reach = computeLightShare(
          shadows,
          p.x + p.gx * shadows.cell,
          p.y + p.gy * shadows.cell,
          p.z + p.gz * shadows.cell,
          bias,
          1.6,
        );
      }
      const diffuse = Math.max(0, facingLight) * reach * 0.62;
      diffuseRed += color[0] * diffuse;
      diffuseGreen += color[1] * diffuse;
      diffuseBlue += color[2] * diffuse;
      const away = 1 - (rx * direction[0] + ry * direction[1] + rz * direction[2]);
      const visible = reach * smooth(-0.1, 0.15, flatFacing);
      // Beyond eight spreads the highlight is negligible.
      const gloss = away > spread * 8 ? 0 : Math.exp(-away / spread) * peak * 2.2 * visible;
      specRed += color[0] * gloss;
      specGreen += color[1] * gloss;
      specBlue += color[2] * gloss;
      if (p.clearcoat > 0) coat += Math.exp(-away / 0.006) * 2 * visible * color[1];
    }
    const velvet = grazing * grazing * Math.sqrt(grazing) * 0.9;
    out.red = (p.red * dielectric + p.sheenRed * velvet) * diffuseRed;
    out.green = (p.green * dielectric + p.sheenGreen * velvet) * diffuseGreen;
    out.blue = (p.blue * dielectric + p.sheenBlue * velvet) * diffuseBlue;
    const coating = coat * p.clearcoat * (0.04 + 0.96 * fresnel);
    out.mirrorRed = specRed * reflectRed + coating;
    out.mirrorGreen = specGreen * reflectGreen + coating;
    out.mirrorBlue = specBlue * reflectBlue + coating;
  };
}

/** Compresses highlights into the range of the picture: linear up to 0.7, then approaching 1. */
export function applyToneMap(value: number): number {
  return value <= 0.7 ? value : 1 - 0.3 * Math.exp((0.7 - value) / 0.3);
}
