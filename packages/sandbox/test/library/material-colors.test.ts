// Colour names of surfaces, and the normals of a height map.
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { findColorName, findDominantColor } from '../../src/library/color-names.ts';
import { computeNormals } from '../../src/library/normal-map.ts';

describe('the name of a colour', () => {
  // Named CSS colours with the words that people search for.
  test.each([
    ['black', '#000000', 'black'],
    ['white', '#ffffff', 'white'],
    ['ivory', '#fffff0', 'white'],
    ['silver', '#c0c0c0', 'grey'],
    ['dimgray', '#696969', 'grey'],
    ['slategray', '#708090', 'grey'],
    ['lightgray', '#d3d3d3', 'grey'],
    ['crimson', '#dc143c', 'red'],
    ['firebrick', '#b22222', 'red'],
    ['darkorange', '#ff8c00', 'orange'],
    ['gold', '#ffd700', 'yellow'],
    ['forestgreen', '#228b22', 'green'],
    ['darkolivegreen', '#556b2f', 'green'],
    ['teal', '#008080', 'turquoise'],
    ['mediumturquoise', '#48d1cc', 'turquoise'],
    ['blue', '#0000ff', 'blue'],
    ['mediumblue', '#0000cd', 'blue'],
    ['navy', '#000080', 'blue'],
    ['skyblue', '#87ceeb', 'blue'],
    ['lightblue', '#add8e6', 'blue'],
    ['lightsteelblue', '#b0c4de', 'blue'],
    ['steelblue', '#4682b4', 'blue'],
    ['royalblue', '#4169e1', 'blue'],
    ['indigo', '#4b0082', 'purple'],
    ['blueviolet', '#8a2be2', 'purple'],
    ['rebeccapurple', '#663399', 'purple'],
    ['mediumpurple', '#9370db', 'purple'],
    ['hotpink', '#ff69b4', 'pink'],
    ['saddlebrown', '#8b4513', 'brown'],
    ['tan', '#d2b48c', 'beige'],
    ['in capitals', '#D2B48C', 'beige'],
  ])('the colour %s (%s) is named %s', (_title, hex, name) => {
    expect(findColorName(hex)).toBe(name);
  });
});

type Rgba = readonly [number, number, number, number];

/** Pixels of one row. */
const row = (pixels: readonly Rgba[]) =>
  sharp(Buffer.from(pixels.flat()), { raw: { width: pixels.length, height: 1, channels: 4 } });

describe('the dominant colour', () => {
  const red: Rgba = [200, 8, 8, 255];
  const blue: Rgba = [8, 8, 200, 255];
  const fading = (alpha: number): Rgba => [200, 8, 8, alpha];

  // Colours are counted in steps of 16. Each step is represented by its middle.
  test.each<[string, Rgba[], string]>([
    ['one colour', [red], '#c80808'],
    ['three of four pixels', [red, blue, red, red], '#c80808'],
    ['one opaque pixel of four', [fading(0), fading(0), fading(127), blue], '#0808c8'],
    ['half-transparent pixels', [fading(128), fading(128), fading(128), blue], '#c80808'],
  ])(
    'the dominant colour is the most frequent colour that is not transparent: %s',
    async (_title, pixels, hex) => {
      expect(await findDominantColor(await row(pixels).png().toBuffer())).toBe(hex);
    },
  );

  test('the dominant colour is found in a grey image', async () => {
    const grey = await row([[120, 120, 120, 255]])
      .greyscale()
      .png()
      .toBuffer();
    expect(await findDominantColor(grey)).toBe('#787878');
  });
});

describe('normals computed from heights', () => {
  /** The normals of grey pixels, as r, g, b each. */
  async function normals(rows: readonly (readonly number[])[]): Promise<number[][]> {
    const width = rows[0]?.length ?? 0;
    const raw = { width, height: rows.length, channels: 1 } as const;
    const image = await sharp(Buffer.from(rows.flat()), { raw }).png().toBuffer();
    const { data, info } = await sharp(await computeNormals(image))
      .raw()
      .toBuffer({ resolveWithObject: true });
    expect([info.width, info.height, info.channels]).toEqual([width, rows.length, 3]);
    return Array.from({ length: data.length / 3 }, (_, pixel) => [
      ...data.subarray(pixel * 3, pixel * 3 + 3),
    ]);
  }

  const up = [128, 128, 255];
  // The heights go from black to white over two pixels: (±4, 0, 1) / √17 = (±0.9701, 0, 0.2425).
  const left = [4, 128, 158];
  const right = [251, 128, 158];
  // Green points up, and rows count downwards.
  const below = [128, 251, 158];
  const above = [128, 4, 158];

  test.each<[string, number[][], number[][]]>([
    ['black', [[0]], [up]],
    ['white', [[255, 255]], [up, up]],
    ['a step, which wraps around', [[0, 0, 255, 255]], [right, left, left, right]],
    ['a line in the middle', [[0, 255, 0, 0]], [left, up, right, up]],
    ['a step downwards', [[0], [0], [255], [255]], [above, below, below, above]],
  ])('normals are computed for %s', async (_title, heights, expected) => {
    expect(await normals(heights)).toEqual(expected);
  });

  test('normals are less steep at a fifth of the height', async () => {
    // 51 / 255 = 0.2, four times as steep: (0.8, 0, 1) / √1.64.
    const slope = 0.8 / Math.sqrt(1.64);
    const byte = (value: number) => Math.round((value * 0.5 + 0.5) * 255);
    const [first] = await normals([[0, 0, 51, 51]]);
    expect(first).toEqual([byte(slope), 128, byte(1 / Math.sqrt(1.64))]);
  });
});
