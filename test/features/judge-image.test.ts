// Checks of a finished image. Each check passes up to its limit; beyond it, the message contains the measure and the
// limit.
import { expect, it } from 'vitest';
import { findFailedChecks } from '../../src/features/delivery/images/failed-checks.ts';
import type { ImageChecks, ImageMeasures } from '../../src/pictures/image-checks.ts';

const sound: ImageMeasures = {
  width: 2_000,
  height: 2_000,
  bytes: 400_000,
  hasAlpha: false,
  isSrgb: true,
  edge: '#ffffff',
  edgeMismatchShare: 0,
  surroundMismatchShare: 0.005,
  fill: 0.85,
};

it.each<[ImageChecks, Partial<ImageMeasures>, string[]]>([
  [{ background: '#ffffff' }, {}, []],
  [
    { background: '#ffffff' },
    { edge: '#edeef0', edgeMismatchShare: 1 },
    [
      'background has #edeef0 (237, 238, 240) at its edges, and 100% of them are not #ffffff (255, 255, 255)',
    ],
  ],
  // A shadow, or a product, that is cut by an edge.
  [
    { background: '#ffffff' },
    { edgeMismatchShare: 0.22 },
    ['background has colours other than #ffffff (255, 255, 255) at 22% of its edges'],
  ],
  [
    { background: '#ffffff' },
    { surroundMismatchShare: 0.021 },
    [
      'background is not #ffffff (255, 255, 255) in 2.1% of the area around the object, more than 0.5%',
    ],
  ],
  [{ fill: 0.85 }, {}, []],
  [
    { fill: 0.85 },
    { fill: 0.5 },
    ['fill shows an object that fills 50% of the frame, less than 85%'],
  ],
  // If the background is unknown, the object is unknown too.
  [
    { background: '#ffffff', fill: 0.85 },
    { edge: '#000000', edgeMismatchShare: 0.25, fill: 0.1 },
    [
      'background has #000000 (0, 0, 0) at its edges, and 25% of them are not #ffffff (255, 255, 255)',
    ],
  ],
  [{ longestSide: { min: 2_000, max: 2_000 } }, { height: 10 }, []],
  [
    { longestSide: { min: 500 } },
    { width: 499, height: 300 },
    ['longestSide is 499 x 300 pixels, but its longest side must be at least 500'],
  ],
  [
    { longestSide: { max: 10_000 } },
    { width: 10_001 },
    ['longestSide is 10001 x 2000 pixels, but no side may exceed 10000'],
  ],
  [
    { shortestSide: { min: 500 } },
    { height: 499 },
    ['shortestSide is 2000 x 499 pixels, but each side must be at least 500'],
  ],
  [{ square: true }, {}, []],
  [{ square: true }, { height: 1_999 }, ['square is 2000 x 1999 pixels, but must be square']],
  [{ maxPixels: 3_999_999 }, {}, ['maxPixels has 4000000 pixels (2000 x 2000), more than 3999999']],
  [{ maxBytes: 400_000 }, {}, []],
  [{ maxBytes: 399_999 }, {}, ['maxBytes has 400000 bytes, more than 399999']],
  [{ alpha: false }, {}, []],
  [{ alpha: false }, { hasAlpha: true }, ['alpha has an alpha channel']],
  [{ profile: 'sRGB' }, { isSrgb: false }, ['profile is not tagged as sRGB']],
])('the checks %j of the measurements %j find the problems %j', (checks, measures, expected) => {
  const failed = findFailedChecks({ ...sound, ...measures }, checks);
  expect(failed.map(({ check, problem }) => `${check} ${problem}`)).toEqual(expected);
});
