// Light on a surface point: sky, lights, shadow, reflection, sheen and coat. The values were computed by hand.
import { describe, expect, it } from 'vitest';
import type { DepthMap } from '../../../src/drawing/light/depth-map.ts';
import {
  applyToneMap,
  computeKeyDirection,
  createLighter,
  type LeavingLight,
  type Lighting,
  prepareLighting,
  type SurfacePoint,
} from '../../../src/drawing/light/lighting.ts';
import {
  addScaled,
  computeFrame,
  cross,
  directionOf,
  dot,
  normalize,
  type Vec3,
} from '../../../src/drawing/vector.ts';
import { plainLook } from '../_pictures.ts';

const half = Math.SQRT1_2;
const black: Vec3 = [0, 0, 0];
const white: Vec3 = [1, 1, 1];

/** Rounds to 12 digits and removes the sign of zero. */
const rounded = (vector: readonly number[]) =>
  vector.map((value) => Math.round(value * 1e12) / 1e12 + 0);

describe('directions', () => {
  it.each([
    ['the front', 0, 0, [0, 0, 1]],
    ['the back', 180, 0, [0, 0, -1]],
    ['a quarter turn', 90, 0, [1, 0, 0]],
    ['a quarter turn back', -90, 0, [-1, 0, 0]],
    ['above', 0, 90, [0, 1, 0]],
    ['below', 77, -90, [0, -1, 0]],
    ['half way up', 0, 45, [0, half, half]],
    ['a full turn', 360, 0, [0, 0, 1]],
  ])('the direction of %s is yaw %d, pitch %d', (_, yaw, pitch, direction) => {
    expect(rounded(directionOf(yaw, pitch))).toEqual(rounded(direction));
  });

  it.each<[string, Vec3, Vec3, Vec3]>([
    ['the front', [0, 0, 1], [1, 0, 0], [0, 1, 0]],
    ['the back', [0, 0, -1], [-1, 0, 0], [0, 1, 0]],
    ['the side', [1, 0, 0], [0, 0, -1], [0, 1, 0]],
    ['half way up', [0, half, half], [1, 0, 0], [0, half, -half]],
    // From straight above, the front of the model is at the bottom of the picture.
    ['above', [0, 1, 0], [1, 0, 0], [0, 0, -1]],
    ['below', [0, -1, 0], [1, 0, 0], [0, 0, 1]],
  ])(
    'computeFrame() returns the right and up axes of a camera that looks from %s',
    (_, back, right, up) => {
      const frame = computeFrame(back);
      expect([rounded(frame.right), rounded(frame.up)]).toEqual([rounded(right), rounded(up)]);
    },
  );

  it('directions are added, multiplied and normalized', () => {
    expect(dot([1, 2, 3], [4, -5, 6])).toBe(12);
    expect(cross([1, 2, 3], [4, 5, 6])).toEqual([-3, 6, -3]);
    expect(normalize([0, 3, 4])).toEqual([0, 0.6, 0.8]);
    expect(normalize([0, 0, 0])).toEqual([0, 0, 0]);
    expect(addScaled([1, 1, 1], [1, 2, 3], -2)).toEqual([-1, -3, -5]);
  });
});

describe('the lights of a look', () => {
  const [front, back] = plainLook.bookmarks;
  const look = {
    ...plainLook,
    key: { yawDegrees: 90, pitchDegrees: 0, color: '#ff0000', intensity: 2 },
    fill: { yawDegrees: 0, pitchDegrees: 90, color: '#ffffff', intensity: 0.5 },
    sky: '#ff8000',
    ground: '#000000',
    ambient: 0.5,
  };

  it.each([
    ['the front', front, [1, 0, 0]],
    ['the back', back, [-1, 0, 0]],
  ])('lights turn with the camera: the key light seen from %s', (_, bookmark, direction) => {
    if (!bookmark) throw new Error('The look has two cameras.');
    const { key, others } = prepareLighting(look, bookmark);
    expect(rounded(key.direction)).toEqual(direction);
    expect(rounded(computeKeyDirection(look, bookmark))).toEqual(direction);
    expect(rounded(others[0]?.direction ?? [])).toEqual([0, 1, 0]);
  });

  it('lights are linear colours times their intensity', () => {
    if (!front) throw new Error('The look has two cameras.');
    const { key, others, sky, ground } = prepareLighting(look, front);
    expect(key.color).toEqual([2, 0, 0]);
    expect(others.map(({ color }) => color)).toEqual([[0.5, 0.5, 0.5], black]);
    // sRGB 128 is 0.2159 of the light of 255.
    expect(sky[0]).toBe(0.5);
    expect(sky[1]).toBeCloseTo(0.5 * 0.2159, 4);
    expect([sky[2], ...ground]).toEqual([0, 0, 0, 0]);
  });
});

/** Only the given light. The key light is straight in front. */
function lighting(patch: Partial<Lighting>): Lighting {
  const key = { direction: [0, 0, 1], color: black } as const;
  return { key, others: [], sky: black, horizon: black, ground: black, exposure: 1, ...patch };
}

/** A depth map that is empty, or that has a surface directly in front of the light. */
function shadows(nearest: number): DepthMap {
  return {
    size: 9,
    nearest: new Float32Array(81).fill(nearest),
    right: [1, 0, 0],
    up: [0, 1, 0],
    back: [0, 0, 1],
    scale: 1,
    offsetX: 4.5,
    offsetY: 4.5,
    cell: 1,
  };
}

/** A white, rough, non-metallic point, seen and lit from straight in front. */
function point(patch: Partial<SurfacePoint> & { n?: Vec3; v?: Vec3 } = {}): SurfacePoint {
  const { n = [0, 0, 1], v = n, ...more } = patch;
  return {
    x: 0,
    y: 0,
    z: 0,
    nx: n[0],
    ny: n[1],
    nz: n[2],
    gx: n[0],
    gy: n[1],
    gz: n[2],
    vx: v[0],
    vy: v[1],
    vz: v[2],
    red: 1,
    green: 1,
    blue: 1,
    metallic: 0,
    roughness: 1,
    occlusion: 1,
    clearcoat: 0,
    sheenRed: 0,
    sheenGreen: 0,
    sheenBlue: 0,
    ...more,
  };
}

function lit(light: Partial<Lighting>, at: SurfacePoint, nearest = -Infinity): LeavingLight {
  const out = { red: -1, green: -1, blue: -1, mirrorRed: -1, mirrorGreen: -1, mirrorBlue: -1 };
  createLighter(lighting(light), shadows(nearest))(at, out);
  return out;
}

describe('the sky', () => {
  const sky: Vec3 = [1, 0, 0];
  const horizon: Vec3 = [0, 1, 0];
  const ground: Vec3 = [0, 0, 1];

  // Halfway up, both poles contribute half, of which the horizon takes 35 %.
  it.each<[string, Vec3, number[]]>([
    ['up', [0, 1, 0], [1, 0, 0]],
    ['down', [0, -1, 0], [0, 0, 1]],
    ['sideways', [0, 0, 1], [0.325, 0.35, 0.325]],
  ])('the sky lights a surface that faces %s', (_, n, body) => {
    const { red, green, blue } = lit({ sky, horizon, ground }, point({ n }));
    expect(rounded([red, green, blue])).toEqual(rounded(body));
  });

  it.each([
    ['a coloured surface', { red: 0.5, green: 0.25, blue: 0 }, [0.5, 0.25, 0]],
    ['an occluded point', { occlusion: 0.25 }, [0.25, 0.25, 0.25]],
    ['half a metal', { metallic: 0.5 }, [0.5, 0.5, 0.5]],
    ['a metal, which scatters no light', { metallic: 1 }, [0, 0, 0]],
  ])('the sky lights %s', (_, patch, body) => {
    const all = { sky: white, horizon: white, ground: white };
    const { red, green, blue } = lit(all, point(patch));
    expect(rounded([red, green, blue])).toEqual(body);
  });

  it.each([
    ['paint mirrors 4 % of a brightened sky', {}, 0.04 * 1.15],
    ['metal mirrors its own colour', { metallic: 1, red: 0.5 }, 0.5 * 1.15],
    ['half metal mirrors a mix', { metallic: 0.5, red: 0.5 }, 0.27 * 1.15],
    ['an occluded metal mirrors at least 30 %', { metallic: 1, occlusion: 0 }, 0.3 * 1.15],
    [
      'a clear coat adds its own reflection',
      { red: 0, clearcoat: 1, sheenRed: 0 },
      0.04 * 1.15 * 2,
    ],
  ])('a surface that faces up mirrors the sky: %s', (_, patch, mirror) => {
    const up = point({ n: [0, 1, 0], roughness: 0.06, ...patch });
    expect(lit({ sky: white }, up).mirrorRed).toBeCloseTo(mirror, 10);
  });
});

describe('a light', () => {
  const key = { direction: [0, 0, 1], color: [1, 0.5, 0] } as const;

  it.each<[string, Vec3, number]>([
    ['facing the light', [0, 0, 1], 0.62],
    ['60° to the side', [Math.sqrt(3) / 2, 0, 0.5], 0.31],
    ['at a right angle', [1, 0, 0], 0],
    ['facing away from the light', [0, 0, -1], 0],
  ])('the light on a surface depends on the angle: %s', (_, n, body) => {
    const { red, green, blue } = lit({ key }, point({ n }));
    expect(rounded([red, green, blue])).toEqual(rounded([body, body / 2, 0]));
  });

  // The highlight is 2.2 × 0.9 / (1 + 9 r²) of the light, of which paint mirrors 4 %.
  it.each([
    [1, 0.198],
    [0.5, 1.98 / 3.25],
    [0.06, 1.98 / 1.0324],
    [0, 1.98 / 1.0324],
  ])('a highlight depends on the roughness: %d', (roughness, gloss) => {
    const { mirrorRed, mirrorGreen, mirrorBlue } = lit({ key }, point({ roughness }));
    expect(mirrorRed).toBeCloseTo(0.04 * gloss, 10);
    expect(mirrorGreen).toBeCloseTo(0.02 * gloss, 10);
    expect(mirrorBlue).toBe(0);
  });

  it('a light has a highlight only where the surface mirrors it', () => {
    const side = { direction: [1, 0, 0], color: white } as const;
    // The normal halfway between viewer and light reflects one to the other.
    const between = point({ n: [half, 0, half], v: [0, 0, 1], roughness: 0.06, metallic: 1 });
    expect(lit({ key: side }, between).mirrorRed).toBeCloseTo(1.98 / 1.0324, 6);
    const beside = point({ n: [0, 0, 1], v: [0, 0, 1], roughness: 0.06, metallic: 1 });
    expect(lit({ key: side }, beside).mirrorRed).toBe(0);
  });

  it.each([
    ['the key light', { key }, 0],
    ['another light', { others: [key] }, 0.62],
  ])('a surface blocks the key light but no other light: %s', (_, light, body) => {
    expect(lit(light, point()).red).toBeCloseTo(0.62, 10);
    const shaded = lit(light, point(), 100);
    expect(shaded.red).toBeCloseTo(body, 10);
    expect(shaded.mirrorRed > 0).toBe(body > 0);
  });
});

describe('at a grazing angle', () => {
  const all = { sky: white, horizon: white, ground: white };
  const grazing = (patch: Partial<SurfacePoint>) =>
    lit(all, point({ n: [0, 0, 1], v: [1, 0, 0], ...patch }));

  it('velvet adds 90 % of its sheen to the colour at a grazing angle', () => {
    const { red, green } = grazing({ red: 0.2, green: 0.2, sheenRed: 0.5 });
    expect(rounded([red, green])).toEqual([0.65, 0.2]);
    expect(lit(all, point({ red: 0.2, sheenRed: 0.5 })).red).toBeCloseTo(0.2, 10);
  });

  it('smooth paint becomes a mirror at a grazing angle, and rough paint does not', () => {
    const straight = (roughness: number) => lit(all, point({ roughness })).mirrorRed / 0.04;
    const share = (roughness: number) => grazing({ roughness }).mirrorRed / straight(roughness);
    expect(share(1)).toBeCloseTo(0.04, 10);
    expect(share(0.5)).toBeCloseTo(0.04 + 0.5 * 0.96, 10);
    expect(share(0)).toBeCloseTo(0.04 + 0.94 * 0.96, 10);
  });
});

describe('the tone curve', () => {
  it.each([
    [0, 0],
    [0.35, 0.35],
    [0.7, 0.7],
    [1, 1 - 0.3 / Math.E],
    [1.3, 1 - 0.3 / Math.E ** 2],
    [1000, 1],
  ])('the tone curve maps %d to %d', (value, shown) => {
    expect(applyToneMap(value)).toBeCloseTo(shown, 12);
  });

  it('the tone curve is strictly increasing, and smooth at 0.7', () => {
    const values = Array.from({ length: 300 }, (_, step) => applyToneMap(step / 100));
    for (const [index, value] of values.slice(1).entries()) {
      expect(value).toBeGreaterThan(values[index] ?? 0);
    }
    expect((applyToneMap(0.7001) - 0.7) / 0.0001).toBeCloseTo(1, 3);
  });
});
