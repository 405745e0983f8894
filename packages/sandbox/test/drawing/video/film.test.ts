import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { frameCamera } from '../../../src/drawing/camera.ts';
import { computeSweptBody } from '../../../src/drawing/compute-swept-body.ts';
import type { Shot } from '../../../src/drawing/templates.ts';
import { computeShotCamera, filmCamerasOf } from '../../../src/drawing/video/film.ts';

const turn: Shot = {
  name: 'Turn',
  seconds: 2,
  fovDegrees: 30,
  from: { yawDegrees: 10, pitchDegrees: 20, margin: 0.1 },
  to: { yawDegrees: 370, pitchDegrees: 20, margin: 0.1 },
};

const size = { width: 64, height: 36 };
// The sign of zero does not matter.
const coordinate = fc.double({ min: -5, max: 5, noNaN: true }).map((value) => value + 0);
const cloud = fc
  .array(fc.tuple(coordinate, coordinate, coordinate), { minLength: 2, maxLength: 30 })
  .map((points) => Float32Array.from(points.flat()));

function distance({ position }: ReturnType<typeof frameCamera>, points: Float32Array): number {
  const body = computeSweptBody(points);
  const middle = [0, 1, 2].map((axis) => {
    const all = body.filter((_, at) => at % 3 === axis);
    return (Math.min(...all) + Math.max(...all)) / 2;
  });
  return Math.hypot(...position.map((value, axis) => value - (middle[axis] ?? 0)));
}

describe('a film', () => {
  it('a film contains the frames of its shots in order', () => {
    const rise = { ...turn, name: 'Rise', seconds: 0.5 };
    const cameras = filmCamerasOf({ shots: [turn, rise], framesPerSecond: 12, ...size });
    expect(cameras.map(({ name }) => name)).toEqual([
      ...Array<string>(24).fill('Turn'),
      ...Array<string>(6).fill('Rise'),
    ]);
  });

  it('a film turns once in even steps, without repeating the first frame', () => {
    const cameras = filmCamerasOf({ shots: [turn], framesPerSecond: 4, ...size });
    expect(cameras.map(({ yawDegrees }) => yawDegrees)).toEqual([
      10, 55, 100, 145, 190, 235, 280, 325,
    ]);
  });

  it('a film has at least one frame', () => {
    const short = { ...turn, seconds: 0.01 };
    expect(filmCamerasOf({ shots: [short], framesPerSecond: 6, ...size })).toHaveLength(1);
  });

  it('the camera keeps the same distance for the whole turn', () => {
    fc.assert(
      fc.property(cloud, fc.double({ min: 0, max: 1, noNaN: true }), (points, done) => {
        const start = distance(frameCamera(points, computeShotCamera(turn, 0), 16 / 9), points);
        const later = distance(frameCamera(points, computeShotCamera(turn, done), 16 / 9), points);
        // The rim has 48 points, so its outline is not a perfect circle.
        expect(Math.abs(later / start - 1)).toBeLessThan(0.02);
      }),
    );
  });
});

describe('the swept body', () => {
  it('the swept body is at least as wide as the points, and exactly as high', () => {
    fc.assert(
      fc.property(cloud, (points) => {
        const body = computeSweptBody(points);
        const span = (axis: number, of: Float32Array) => {
          const all = of.filter((_, at) => at % 3 === axis);
          return [Math.min(...all) + 0, Math.max(...all) + 0] as const;
        };
        expect(span(1, body)).toEqual(span(1, points));
        for (const axis of [0, 2]) {
          const [low, high] = span(axis, points);
          const [left, right] = span(axis, body);
          expect(left).toBeLessThanOrEqual(low + 1e-4);
          expect(right).toBeGreaterThanOrEqual(high - 1e-4);
        }
      }),
    );
  });

  it('the swept body has no points for a model without points', () => {
    expect(computeSweptBody(new Float32Array())).toHaveLength(0);
  });
});
