// The largest picture that may be decoded, by the settings of a pipeline file.
import { expect, it } from 'vitest';
import { findRequestedPixels, maxPixelsOf } from '../../src/features/renders/requested-pixels.ts';

const custom = (width: number, height: number) => ({
  imageCustomResolution: true,
  imageCustomWidth: width,
  imageCustomHeight: height,
});

it.each([
  ['720p', { imageQuality: 0 }, 16_777_216],
  ['1080p', {}, 16_777_216],
  ['4K (four times its pixels)', { imageQuality: 2 }, 4 * 3_840 * 2_160],
  ['12 megapixels (the limit of one process)', custom(4_000, 3_000), 33_554_432],
  ['8K (the limit of one process)', custom(7_680, 4_320), 33_554_432],
  [
    'more than the limit of one process (exactly the requested pixels)',
    custom(10_000, 10_000),
    100_000_000,
  ],
  [
    'more than decoders can read (the limit of the decoders)',
    custom(20_000, 20_000),
    16_383 * 16_383,
  ],
])('the pixel limit of an output is computed from its settings: %s', (_what, settings, max) => {
  expect(maxPixelsOf(findRequestedPixels({ settings }) ?? 0)).toBe(max);
});
