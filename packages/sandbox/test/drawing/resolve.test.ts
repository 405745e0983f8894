// How samples become pixels: ownership, transparency and the written values.
import { describe, expect, it } from 'vitest';
import { type Band, type Corner, createBand } from '../../src/drawing/raster.ts';
import {
  blendTriangle,
  gatherFromSamples,
  resolveBand,
  spreadToSamples,
  writeRows,
} from '../../src/drawing/resolve-samples.ts';
import type { Shade, Shader } from '../../src/drawing/shader.ts';
import { cullTriangles, orderTriangles, partOfTriangle } from '../../src/drawing/triangle-order.ts';
import type { Scene } from '../../src/scene/scene.ts';

/** Pixels of two by two samples. Each digit is the triangle of a sample; `.` is a sample without a triangle. */
function bandOf(rows: readonly string[], firstRow = 0): Band {
  const perPixel = 2;
  const width = (rows[0]?.length ?? 0) / perPixel;
  const band = { ...createBand(width, rows.length / perPixel, perPixel), firstRow };
  const owners = Array.from(rows.join(''), (sample) => (sample === '.' ? -1 : Number(sample)));
  band.triangle.set(owners);
  return band;
}

type Asked = readonly [triangle: number, x: number, y: number];

/** Triangle 1 is red, 2 green, 3 blue. Records where each triangle was sampled. */
class Paints implements Shader {
  readonly asked: Asked[] = [];

  shade(triangle: number, x: number, y: number, out: Shade): void {
    this.asked.push([triangle, x, y]);
    out.red = triangle === 1 ? 1 : 0;
    out.green = triangle === 2 ? 1 : 0;
    out.blue = triangle === 3 ? 1 : 0;
    out.alpha = 1;
  }

  alphaAt(): number {
    return 1;
  }
}

const grey = (_x: number, _y: number, out: Shade): void => {
  out.red = out.green = out.blue = 0.5;
};

describe('a pixel of four samples', () => {
  it.each<[string, [string, string], number[], Asked[]]>([
    ['with one triangle', ['11', '11'], [1, 0, 0], [[1, 0.5, 0.5]]],
    ['without a triangle', ['..', '..'], [0.5, 0.5, 0.5], []],
    [
      'with a left and a right triangle',
      ['12', '12'],
      [0.5, 0.5, 0],
      [
        [1, 0.25, 0.5],
        [2, 0.75, 0.5],
      ],
    ],
    [
      'with three and one samples, each triangle shaded in the middle of its own samples',
      ['11', '12'],
      [0.75, 0.25, 0],
      [
        [1, 0.75 * (5 / 9), 0.75 * (5 / 9)],
        [2, 0.75, 0.75],
      ],
    ],
    [
      'with crossed triangles, each shaded once',
      ['13', '31'],
      [0.5, 0, 0.5],
      [
        [1, 0.5, 0.5],
        [3, 0.5, 0.5],
      ],
    ],
    [
      'with one sample in front of the backdrop',
      ['..', '.2'],
      [0.375, 0.625, 0.375],
      [[2, 0.75, 0.75]],
    ],
  ])('a pixel is resolved %s', (_, rows, color, asked) => {
    const paints = new Paints();
    const out = new Float32Array(3).fill(9);
    resolveBand(bandOf(rows), paints, grey, out);
    expect(Array.from(out)).toEqual(color);
    expect(paints.asked.map(([triangle]) => triangle)).toEqual(asked.map(([triangle]) => triangle));
    for (const [index, [, x, y]] of paints.asked.entries()) {
      expect([x, y]).toEqual([
        expect.closeTo(asked[index]?.[1] ?? -1),
        expect.closeTo(asked[index]?.[2] ?? -1),
      ]);
    }
  });

  it('a pixel is shaded at its position, counted from the top of the picture', () => {
    const paints = new Paints();
    const out = new Float32Array(12);
    resolveBand(bandOf(['1122', '1122', '3311', '3311'], 8), paints, grey, out);
    expect(Array.from(out)).toEqual([1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0]);
    expect(paints.asked).toEqual([
      [1, 0.5, 4.5],
      [2, 1.5, 4.5],
      [3, 0.5, 5.5],
      [1, 1.5, 5.5],
    ]);
  });
});

describe('samples', () => {
  const band = createBand(2, 1, 2);
  const colors = Float32Array.from([1, 0.5, 0.25, 0, 0.125, 1]);

  it('samples get the colour of their pixel', () => {
    const samples = new Float32Array(24);
    spreadToSamples(band, colors, samples);
    const row = [1, 0.5, 0.25, 1, 0.5, 0.25, 0, 0.125, 1, 0, 0.125, 1];
    expect(Array.from(samples)).toEqual([...row, ...row]);
  });

  it('samples are averaged for each pixel', () => {
    const samples = new Float32Array(24);
    spreadToSamples(band, colors, samples);
    const back = new Float32Array(6).fill(9);
    gatherFromSamples(band, samples, back);
    expect(Array.from(back)).toEqual(Array.from(colors));
    // One of the four samples of the first pixel turns black.
    samples.set([0, 0, 0], 0);
    gatherFromSamples(band, samples, back);
    expect(Array.from(back)).toEqual([0.75, 0.375, 0.1875, 0, 0.125, 1]);
  });
});

const corner = (x: number, y: number, inverse = 1): Corner => ({ x, y, inverse });

describe('a see-through triangle', () => {
  /** Red glass with half opacity. */
  const glass: Shader = {
    shade: (_triangle, _x, _y, out) => {
      out.red = 0.5;
      out.green = out.blue = 0;
      out.alpha = 0.5;
    },
    alphaAt: () => 0.5,
  };
  const over = (corners: readonly [Corner, Corner, Corner], depth = 0): number[] => {
    const band = createBand(2, 2, 1);
    band.depth.fill(depth);
    const samples = new Float32Array(12).fill(1);
    blendTriangle(band, 0, corners, glass, samples);
    // White behind half-opaque red glass keeps its red and half of its green.
    for (let at = 0; at < 12; at += 3) expect(samples[at]).toBe(1);
    return [1, 4, 7, 10].map((at) => samples[at] ?? -1);
  };
  const all = [corner(-1, -1), corner(9, -1), corner(-1, 9)] as const;

  it.each([
    ['over everything', all, 0, [0.5, 0.5, 0.5, 0.5]],
    ['wound in the other direction', [all[0], all[2], all[1]], 0, [0.5, 0.5, 0.5, 0.5]],
    ['behind an opaque surface', all, 2, [1, 1, 1, 1]],
    ['as near as an opaque surface', all, 1, [0.5, 0.5, 0.5, 0.5]],
    ['without a surface', [all[0], all[0], all[1]], 0, [1, 1, 1, 1]],
    ['outside the picture', [corner(3, 0), corner(4, 0), corner(3, 1)], 0, [1, 1, 1, 1]],
    ['over one pixel', [corner(0, 0), corner(1, 0), corner(0, 1.2)], 0, [0.5, 1, 1, 1]],
  ] as const)(
    'a see-through triangle blends only the visible samples: %s',
    (_, corners, depth, greens) => {
      expect(over([...corners], depth)).toEqual(greens);
    },
  );

  it('a see-through triangle is hidden where it slants away behind an opaque surface', () => {
    // It goes from 1/w = 1 on the left to 0 at x = 4, so only its left column is in front of a wall at 0.75.
    const leaning = [corner(0, -9, 1), corner(4, 1, 0), corner(0, 11, 1)] as const;
    expect(over(leaning, 0.75)).toEqual([0.5, 1, 0.5, 1]);
  });

  const [a, b, c, d] = [corner(0, 0), corner(4, 0), corner(4, 4), corner(0, 4)];
  const [left, top, middle] = [corner(-0.31, 1.37), corner(1.7, -0.43), corner(1.25, 1.75)];
  it.each<[string, readonly (readonly [Corner, Corner, Corner])[]]>([
    [
      'from the first corner',
      [
        [a, b, c],
        [a, c, d],
      ],
    ],
    [
      'as the last edge of one and the first of the other',
      [
        [b, c, a],
        [a, c, d],
      ],
    ],
    [
      'between the first two corners',
      [
        [c, a, b],
        [a, c, d],
      ],
    ],
    [
      'as the last two corners',
      [
        [b, c, a],
        [d, a, c],
      ],
    ],
    [
      'of triangles that face different ways',
      [
        [b, a, c],
        [a, c, d],
      ],
    ],
    [
      'the other diagonal',
      [
        [b, d, a],
        [b, c, d],
      ],
    ],
    [
      'around a corner on a sample',
      [
        [a, b, middle],
        [b, c, middle],
        [middle, c, d],
        [d, a, middle],
      ],
    ],
    [
      'with coordinates that are not exact',
      [
        [left, corner(5.1, 5.3), corner(-3.7, 9.9)],
        [corner(5.1, 5.3), left, top],
        [corner(9.3, -7.7), corner(5.1, 5.3), top],
        [top, left, corner(-7.9, -7.1)],
        [corner(-7.9, -7.1), corner(9.3, -7.7), top],
        [left, corner(-3.7, 9.9), corner(-7.9, -7.1)],
      ],
    ],
  ])('see-through triangles that share an edge do not cover a sample twice: %s', (_, triangles) => {
    const band = createBand(4, 4, 2);
    const samples = new Float32Array(64 * 3).fill(1);
    for (const corners of triangles) blendTriangle(band, 0, corners, glass, samples);
    expect(new Set(samples.filter((_value, at) => at % 3 === 1))).toEqual(new Set([0.5]));
  });
});

describe('rows of a picture', () => {
  const colors = Float32Array.from([0, 1, 0.2158605, -1, 2, Number.NaN]);

  // 0.2158605 of the light is 128 of 255, or 32,896 of 65,535.
  it.each([
    ['8 bits', new Uint8Array(16), [0, 255, 128, 255, 0, 255, 0, 255]],
    ['16 bits', new Uint16Array(16), [0, 65535, 32896, 65535, 0, 65535, 0, 65535]],
  ])('rows are written as opaque pixels with %s, starting at the given row', (_, data, written) => {
    writeRows({ data, width: 2, height: 2 }, colors, 1, 1);
    expect(Array.from(data)).toEqual([0, 0, 0, 0, 0, 0, 0, 0, ...written]);
  });
});

describe('the assignment and order of triangles', () => {
  const scene = {
    indices: Uint32Array.from([0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 1, 2]),
    parts: [
      { firstTriangle: 0, triangleCount: 1 },
      { firstTriangle: 1, triangleCount: 3 },
    ],
  } as unknown as Scene;
  const projection = {
    x: new Float64Array(9),
    y: Float64Array.from([0, 4, 2, 10, 14, 12, 20, 24, 22]),
    w: Float64Array.from([5, 5, 5, 9, 9, 9, 1, 1, 1]),
  };

  it('each triangle is assigned to its part', () => {
    expect(Array.from(partOfTriangle(scene))).toEqual([0, 1, 1, 1]);
  });

  it.each([
    ['none', [], [0, 1, 2, 3], []],
    ['all, from far to near and with ties as in the file', [0, 1, 2, 3], [], [1, 0, 3, 2]],
    ['some', [3, 2], [0, 1], [3, 2]],
  ])('transparent triangles are separated: %s', (_, see, solid, blended) => {
    const order = orderTriangles(scene, projection, (triangle) => see.includes(triangle));
    expect([Array.from(order.solid), Array.from(order.blended)]).toEqual([solid, blended]);
  });

  it.each([
    ['all rows', 0, 99, 0, [0, 1, 2, 3]],
    ['the first rows', 0, 8, 0, [0, 3]],
    ['rows between two triangles', 5, 9, 0, []],
    ['rows inside one triangle', 12, 13, 0, [1]],
    ['rows touching the end of a triangle', 4, 5, 0, [0, 3]],
    ['rows that touch the first row of one', 15, 20, 0, [2]],
    ['a triangle that the near plane cuts, which can be anywhere', 50, 60, 1, [2]],
  ])(
    'the triangles needed for certain rows are selected: %s (%d to %d)',
    (_, first, last, near, needed) => {
      const list = Uint32Array.from([0, 1, 2, 3]);
      expect(Array.from(cullTriangles(scene, projection, near, list, first, last))).toEqual(needed);
    },
  );

  it.each([6, 7, 8])(
    'a triangle with only corner %d at the near plane is selected for any rows',
    (at) => {
      const w = new Float64Array(9).fill(9);
      w[at] = 1;
      const list = Uint32Array.from([0, 1, 2, 3]);
      expect(Array.from(cullTriangles(scene, { ...projection, w }, 1, list, 50, 60))).toEqual([2]);
    },
  );
});
