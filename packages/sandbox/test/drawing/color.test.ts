import { describe, expect, it } from 'vitest';
import { linearOfByte, linearOfHex, toByte, toShort } from '../../src/drawing/color.ts';

describe('sRGB', () => {
  it('sRGB values are converted to linear light and back without loss', () => {
    for (let byte = 0; byte < 256; byte += 1) {
      const linear = linearOfByte[byte] ?? -1;
      expect(toByte(linear)).toBe(byte);
      expect(Math.round(toShort(linear) / 257)).toBe(byte);
    }
  });

  it.each([
    [0, 0, 0],
    [1, 255, 65535],
    [0.2158605, 128, 32896],
    [-5, 0, 0],
    [7, 255, 65535],
    [Number.NaN, 0, 0],
  ])('the linear value %d is encoded as %d of 255 and about %d of 65535', (linear, byte, short) => {
    expect(toByte(linear)).toBe(byte);
    expect(Math.abs(toShort(linear) - short)).toBeLessThan(40);
  });

  it('16-bit values never decrease with more light', () => {
    let last = -1;
    for (let step = 0; step <= 5000; step += 1) {
      const value = toShort(step / 5000);
      expect(value).toBeGreaterThanOrEqual(last);
      last = value;
    }
  });

  it('hex colours are parsed', () => {
    expect(linearOfHex('#ffffff')).toEqual([1, 1, 1]);
    expect(linearOfHex('#FF0000')).toEqual([1, 0, 0]);
    expect(linearOfHex('#808080')[1]).toBeCloseTo(0.2158, 3);
  });

  it.each(['ffffff', '#fff', '#gggggg', '', 'red', '#1234567'])(
    'the string %j is refused as a colour',
    (text) => {
      expect(() => linearOfHex(text)).toThrow('is not a colour like #1a2b3c');
    },
  );
});
