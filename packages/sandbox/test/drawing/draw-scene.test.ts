// Pictures show the right colours in the right places.
import { describe, expect, it } from 'vitest';
import { triangleGlb } from '../../../../test/glb/_make-glb.ts';
import { DrawableModel } from '../../src/drawing/drawable-model.ts';
import { PictureSizeError } from '../../src/drawing/pictures/picture.ts';
import {
  addSquare,
  centerOf,
  hueOf,
  isBlack,
  lookNumber,
  paint,
  pixelAt,
  plainLook,
  shareOf,
  squareModel,
} from './_pictures.ts';

const size = { look: plainLook, width: 64, height: 64 };
const red = [1, 0, 0, 1] as const;
const green = [0, 1, 0, 1] as const;
const blue = [0, 0, 1, 1] as const;

describe('a square in front of the camera', () => {
  it('a square with a margin of one half fills half of the picture in width and height', async () => {
    const picture = await (await squareModel(paint(red))).draw(size);
    expect(shareOf(picture, (pixel) => !isBlack(pixel))).toBeCloseTo(0.25, 2);
    expect(isBlack(pixelAt(picture, 14, 32))).toBe(true);
    expect(isBlack(pixelAt(picture, 18, 32))).toBe(false);
  });

  it.each([
    ['red', red],
    ['green', green],
    ['blue', blue],
  ])('the square is %s', async (hue, color) => {
    const picture = await (await squareModel(paint(color))).draw(size);
    expect(hueOf(centerOf(picture))).toBe(hue);
    expect(hueOf(pixelAt(picture, 20, 20))).toBe(hue);
  });

  it('a square is visible from behind only if it is double-sided', async () => {
    const back = { ...size, bookmark: 'Back' };
    const oneSided = await (await squareModel(paint(red))).draw(back);
    expect(shareOf(oneSided, isBlack)).toBe(1);
    const twoSided = await squareModel((authored) => {
      paint(red)(authored);
      authored.material.setDoubleSided(true);
    });
    expect(hueOf(centerOf(await twoSided.draw(back)))).toBe('red');
  });

  it('every pixel is opaque', async () => {
    const { data } = await (await squareModel(paint(red))).draw(size);
    expect(data.every((value, index) => index % 4 !== 3 || value === 255)).toBe(true);
  });

  it('the edges of the square are smooth', async () => {
    const slanted = await squareModel((authored) => {
      paint([1, 1, 1, 1])(authored);
      authored.node.setRotation([0, 0, Math.sin(0.1), Math.cos(0.1)]);
    });
    const picture = await slanted.draw(size);
    const [inside] = centerOf(picture);
    expect(shareOf(picture, ([value]) => value > 20 && value < inside - 20)).toBeGreaterThan(0.01);
  });
});

describe('depth', () => {
  it.each([
    [0.5, 'green'],
    [-0.5, 'red'],
  ])('a second square %d m in front of the first makes the middle %s', async (z, hue) => {
    const model = await squareModel((authored) => {
      paint(red)(authored);
      addSquare(authored, z, green);
    });
    expect(hueOf(centerOf(await model.draw(size)))).toBe(hue);
  });

  it('depth is compared for each pixel where surfaces intersect', async () => {
    const model = await squareModel((authored) => {
      paint(red)(authored);
      addSquare(authored, 0, green);
      const half = Math.sin(0.3);
      authored.document
        .getRoot()
        .listNodes()[1]
        ?.setRotation([0, half, 0, Math.cos(0.3)]);
    });
    const picture = await model.draw(size);
    expect(hueOf(pixelAt(picture, 24, 32))).toBe('green');
    expect(hueOf(pixelAt(picture, 40, 32))).toBe('red');
  });
});

describe('shadows', () => {
  it('a shadow darkens the floor beneath the model, more on the side away from the light', async () => {
    const model = await squareModel((authored) => {
      authored.material.setDoubleSided(true);
      authored.node.setRotation([0, Math.sin(0.4), 0, Math.cos(0.4)]);
    });
    const look = lookNumber(3);
    const without = { ...look, backdrop: { ...look.backdrop, shadow: 0 } };
    const [shaded, plain] = [
      await model.draw({ ...size, look }),
      await model.draw({ ...size, look: without }),
    ];
    const loss = (from: number, to: number): number => {
      let sum = 0;
      for (let y = 32; y < 64; y += 1) {
        for (let x = from; x < to; x += 1)
          sum += pixelAt(plain, x, y)[0] - pixelAt(shaded, x, y)[0];
      }
      return sum;
    };
    expect(loss(0, 64)).toBeGreaterThan(200);
    expect(loss(0, 32)).toBeGreaterThan(loss(32, 64));
  });
});

describe('pictures', () => {
  it('pictures have the same bytes every time', async () => {
    const bytes = triangleGlb();
    const draw = async () =>
      (await DrawableModel.read(bytes, 'glb')).draw({ ...size, look: lookNumber(0) });
    expect((await draw()).data).toEqual((await draw()).data);
  });

  it('pictures do not depend on earlier pictures', async () => {
    const [one, other] = [await squareModel(paint(red)), await squareModel(paint(red))];
    await one.draw({ ...size, look: lookNumber(1), width: 400, height: 40 });
    expect((await one.draw(size)).data).toEqual((await other.draw(size)).data);
  });

  it('pictures drawn in many bands have no seams', async () => {
    const model = await squareModel(paint(red));
    const wide = await model.draw({ ...size, width: 3000, height: 400 });
    const column = Array.from({ length: 180 }, (_, index) => pixelAt(wide, 1500, 110 + index)[0]);
    expect(Math.max(...column) - Math.min(...column)).toBeLessThanOrEqual(2);
  });

  it('16-bit pictures show the same colours as 8-bit pictures', async () => {
    const model = await squareModel(paint([0.3, 0.5, 0.7, 1]));
    const deep = centerOf(await model.draw({ ...size, depth: 16 }));
    const plain = centerOf(await model.draw(size));
    expect(deep.map((value) => Math.round(value / 257))).toEqual(plain);
    expect(deep.some((value) => value % 257 !== 0)).toBe(true);
  });

  it.each([
    [0, 10],
    [10, -1],
    [1.5, 10],
    [Number.NaN, 10],
    [100_000, 100_000],
  ])('pictures of %d x %d pixels are refused', async (width, height) => {
    const model = await squareModel(paint(red));
    await expect(model.draw({ ...size, width, height })).rejects.toThrow(PictureSizeError);
  });

  it.each([
    [1, 1],
    [3, 200],
    [200, 3],
  ])('pictures of %d x %d pixels are drawn', async (width, height) => {
    const picture = await (await squareModel(paint(red))).draw({ ...size, width, height });
    expect(picture.data.length).toBe(width * height * 4);
  });
});
