// Computes the colour of a triangle at a pixel: ray intersection, material and light.
import type { Scene } from '../scene/scene.ts';
import type { Camera } from './camera.ts';
import type { DepthMap } from './light/depth-map.ts';
import { applyToneMap, createLighter, type Lighting, type SurfacePoint } from './light/lighting.ts';
import type { DrawMaterial } from './materials/material.ts';
import { type Sampler, sampleTexture } from './materials/texture.ts';
import type { Projection } from './raster.ts';

/** Linear light, 0 to 1, premultiplied by `alpha`. */
export type Shade = { red: number; green: number; blue: number; alpha: number };

export type ShaderInput = {
  readonly scene: Scene;
  readonly camera: Camera;
  readonly projection: Projection;
  readonly width: number;
  readonly height: number;
  readonly lighting: Lighting;
  readonly shadows: DepthMap;
  readonly materialOf: (triangle: number) => DrawMaterial;
};

export type Shader = {
  shade(triangle: number, x: number, y: number, out: Shade): void;
  /** Returns alpha without transmission, for surfaces with holes. */
  alphaAt(triangle: number, x: number, y: number): number;
};

// Intersection of the ray through a pixel with a triangle. Reused to avoid allocations in the inner loop.
class Hit {
  a = 0;
  b = 0;
  c = 0;
  weightA = 0;
  weightB = 0;
  weightC = 0;
  distance = 0;
  /** The triangle's normal, not normalized. */
  nx = 0;
  ny = 0;
  nz = 0;
  rayX = 0;
  rayY = 0;
  rayZ = 0;
}

export function createShader(input: ShaderInput): Shader {
  const { scene, camera, projection } = input;
  const { positions, normals, indices, colors } = scene;
  const light = createLighter(input.lighting, input.shadows);
  const { exposure } = input.lighting;
  const hit = new Hit();
  const texel = new Float64Array(4);
  const point = {} as SurfacePoint;
  const lit = { red: 0, green: 0, blue: 0, mirrorRed: 0, mirrorGreen: 0, mirrorBlue: 0 };

  function intersect(triangle: number, x: number, y: number): void {
    const sx = ((x / input.width) * 2 - 1) * camera.halfWidth;
    const sy = (1 - (y / input.height) * 2) * camera.halfHeight;
    const { right, up, back, position } = camera;
    hit.rayX = right[0] * sx + up[0] * sy - back[0];
    hit.rayY = right[1] * sx + up[1] * sy - back[1];
    hit.rayZ = right[2] * sx + up[2] * sy - back[2];
    hit.a = indices[triangle * 3] as number;
    hit.b = indices[triangle * 3 + 1] as number;
    hit.c = indices[triangle * 3 + 2] as number;
    const ax = positions[hit.a * 3] as number;
    const ay = positions[hit.a * 3 + 1] as number;
    const az = positions[hit.a * 3 + 2] as number;
    const ux = (positions[hit.b * 3] as number) - ax;
    const uy = (positions[hit.b * 3 + 1] as number) - ay;
    const uz = (positions[hit.b * 3 + 2] as number) - az;
    const vx = (positions[hit.c * 3] as number) - ax;
    const vy = (positions[hit.c * 3 + 1] as number) - ay;
    const vz = (positions[hit.c * 3 + 2] as number) - az;
    hit.nx = uy * vz - uz * vy;
    hit.ny = uz * vx - ux * vz;
    hit.nz = ux * vy - uy * vx;
    const ox = position[0] - ax;
    const oy = position[1] - ay;
    const oz = position[2] - az;
    const slope = -(hit.rayX * hit.nx + hit.rayY * hit.ny + hit.rayZ * hit.nz) || 1e-30;
    // Scalar triple products (Möller-Trumbore). Samples lie inside, so clamping matters only for edge-on triangles.
    const ex = oy * hit.rayZ - oz * hit.rayY;
    const ey = oz * hit.rayX - ox * hit.rayZ;
    const ez = ox * hit.rayY - oy * hit.rayX;
    const b = Math.min(1, Math.max(0, (vx * ex + vy * ey + vz * ez) / slope));
    const c = Math.min(1 - b, Math.max(0, -(ux * ex + uy * ey + uz * ez) / slope));
    hit.weightA = 1 - b - c;
    hit.weightB = b;
    hit.weightC = c;
    hit.distance = (ox * hit.nx + oy * hit.ny + oz * hit.nz) / slope;
  }

  function uvOf(sampler: Sampler): Float32Array | null {
    return sampler.use.texCoord === 1 ? scene.uv1 : scene.uv0;
  }

  // Returns twice the triangle's area. A vertex has `size` values in each list, and y is the last of them.
  function areaIn(x: Float32Array | Float64Array, y: typeof x, size: number): number {
    const { a, b, c } = hit;
    const last = size - 1;
    const x0 = x[a * size] as number;
    const y0 = y[a * size + last] as number;
    return Math.abs(
      ((x[b * size] as number) - x0) * ((y[c * size + last] as number) - y0) -
        ((x[c * size] as number) - x0) * ((y[b * size + last] as number) - y0),
    );
  }

  // Returns the share of the texture's side that one pixel covers on this triangle.
  function footprintOf(uv: Float32Array): number {
    const area = areaIn(projection.x, projection.y, 1);
    return area > 0 ? Math.sqrt(areaIn(uv, uv, 2) / area) : 0;
  }

  function sampleMap(sampler: Sampler | null, color: boolean): boolean {
    if (sampler === null) return false;
    const uv = uvOf(sampler);
    if (uv === null) return false;
    const m = sampler.use.transform;
    const scale = m === null ? 1 : Math.sqrt(Math.abs(m[0] * m[3] - m[1] * m[2]));
    sampleTexture(sampler, mix(uv, 2, 0), mix(uv, 2, 1), footprintOf(uv) * scale, color, texel);
    return true;
  }

  function mix(values: Float32Array, size: number, offset: number): number {
    return (
      (values[hit.a * size + offset] as number) * hit.weightA +
      (values[hit.b * size + offset] as number) * hit.weightB +
      (values[hit.c * size + offset] as number) * hit.weightC
    );
  }

  /** Sets the colour of the point. @returns its alpha without transmission */
  function readColor(material: DrawMaterial): number {
    let [red, green, blue] = material.baseColor;
    let alpha = material.alpha;
    if (sampleMap(material.base, true)) {
      red *= texel[0] as number;
      green *= texel[1] as number;
      blue *= texel[2] as number;
      alpha *= texel[3] as number;
    }
    if (colors !== null) {
      red *= mix(colors, 4, 0);
      green *= mix(colors, 4, 1);
      blue *= mix(colors, 4, 2);
      alpha *= mix(colors, 4, 3);
    }
    point.red = red;
    point.green = green;
    point.blue = blue;
    return alpha;
  }

  function readNormal(material: DrawMaterial): void {
    const flatLength = Math.sqrt(hit.nx * hit.nx + hit.ny * hit.ny + hit.nz * hit.nz) || 1;
    const back = hit.nx * hit.rayX + hit.ny * hit.rayY + hit.nz * hit.rayZ > 0;
    const turn = back ? -1 : 1;
    point.gx = (turn * hit.nx) / flatLength;
    point.gy = (turn * hit.ny) / flatLength;
    point.gz = (turn * hit.nz) / flatLength;
    const nx = mix(normals, 3, 0);
    const ny = mix(normals, 3, 1);
    const nz = mix(normals, 3, 2);
    const length = Math.sqrt(nx * nx + ny * ny + nz * nz);
    if (length < 1e-6) {
      point.nx = point.gx;
      point.ny = point.gy;
      point.nz = point.gz;
    } else {
      point.nx = (turn * nx) / length;
      point.ny = (turn * ny) / length;
      point.nz = (turn * nz) / length;
    }
    if (sampleMap(material.normal, false)) bendNormal(material, turn);
  }

  // Tangents from the triangle's texture coordinates.
  function bendNormal(material: DrawMaterial, turn: number): void {
    const uv = material.normal === null ? null : uvOf(material.normal);
    if (uv === null) return;
    const { a, b, c } = hit;
    const du1 = (uv[b * 2] as number) - (uv[a * 2] as number);
    const dv1 = (uv[b * 2 + 1] as number) - (uv[a * 2 + 1] as number);
    const du2 = (uv[c * 2] as number) - (uv[a * 2] as number);
    const dv2 = (uv[c * 2 + 1] as number) - (uv[a * 2 + 1] as number);
    const determinant = du1 * dv2 - du2 * dv1;
    if (determinant === 0) return;
    const sign = determinant > 0 ? 1 : -1;
    const tangent = (axis: number): number =>
      sign *
      (((positions[b * 3 + axis] as number) - (positions[a * 3 + axis] as number)) * dv2 -
        ((positions[c * 3 + axis] as number) - (positions[a * 3 + axis] as number)) * dv1);
    let tx = tangent(0);
    let ty = tangent(1);
    let tz = tangent(2);
    const along = tx * point.nx + ty * point.ny + tz * point.nz;
    tx -= along * point.nx;
    ty -= along * point.ny;
    tz -= along * point.nz;
    const length = Math.sqrt(tx * tx + ty * ty + tz * tz);
    if (length === 0) return;
    tx /= length;
    ty /= length;
    tz /= length;
    // v points downwards in glTF, so the bitangent of a green-up map is flipped.
    const hand = sign * turn;
    const bx = hand * (point.ny * tz - point.nz * ty);
    const by = hand * (point.nz * tx - point.nx * tz);
    const bz = hand * (point.nx * ty - point.ny * tx);
    const mx = ((texel[0] as number) * 2 - 1) * material.normalScale;
    const my = ((texel[1] as number) * 2 - 1) * material.normalScale;
    const mz = Math.max(0.05, (texel[2] as number) * 2 - 1);
    const x = tx * mx + bx * my + point.nx * mz;
    const y = ty * mx + by * my + point.ny * mz;
    const z = tz * mx + bz * my + point.nz * mz;
    const bent = Math.sqrt(x * x + y * y + z * z) || 1;
    point.nx = x / bent;
    point.ny = y / bent;
    point.nz = z / bent;
  }

  function readSurface(material: DrawMaterial): void {
    point.metallic = material.metallic;
    point.roughness = material.roughness;
    if (sampleMap(material.metalRough, false)) {
      point.roughness *= texel[1] as number;
      point.metallic *= texel[2] as number;
    }
    point.occlusion = sampleMap(material.occlusion, false) ? (texel[0] as number) : 1;
    point.clearcoat = material.clearcoat;
    [point.sheenRed, point.sheenGreen, point.sheenBlue] = material.sheen;
    const rayLength = Math.sqrt(hit.rayX * hit.rayX + hit.rayY * hit.rayY + hit.rayZ * hit.rayZ);
    point.vx = -hit.rayX / rayLength;
    point.vy = -hit.rayY / rayLength;
    point.vz = -hit.rayZ / rayLength;
    point.x = camera.position[0] + hit.rayX * hit.distance;
    point.y = camera.position[1] + hit.rayY * hit.distance;
    point.z = camera.position[2] + hit.rayZ * hit.distance;
  }

  return {
    alphaAt(triangle, x, y) {
      intersect(triangle, x, y);
      return readColor(input.materialOf(triangle));
    },
    shade(triangle, x, y, out) {
      const material = input.materialOf(triangle);
      intersect(triangle, x, y);
      const alpha = readColor(material);
      out.alpha = material.blended ? alpha * (1 - material.transmission * 0.88) : 1;
      if (material.unlit) {
        out.red = point.red * out.alpha;
        out.green = point.green * out.alpha;
        out.blue = point.blue * out.alpha;
        return;
      }
      readNormal(material);
      readSurface(material);
      light(point, lit);
      let [glowRed, glowGreen, glowBlue] = material.emissive;
      if (glowRed + glowGreen + glowBlue > 0 && sampleMap(material.emission, true)) {
        glowRed *= texel[0] as number;
        glowGreen *= texel[1] as number;
        glowBlue *= texel[2] as number;
      }
      const a = out.alpha;
      // Cut-out images also fade their highlights, whereas glass keeps its highlights.
      const m =
        material.transmission > 0 ? 1 : alpha < 1 && material.blended ? Math.max(a, 0.6) : 1;
      out.red = applyToneMap((lit.red * a + lit.mirrorRed * m) * exposure + glowRed * a);
      out.green = applyToneMap((lit.green * a + lit.mirrorGreen * m) * exposure + glowGreen * a);
      out.blue = applyToneMap((lit.blue * a + lit.mirrorBlue * m) * exposure + glowBlue * a);
    },
  };
}
