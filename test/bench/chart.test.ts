// The chart: its axes and contents, and whether all marks are inside the picture.
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { drawChart } from '../../bench/chart.ts';
import { logScale, roundTicks } from '../../bench/chart-scale.ts';
import { result } from './_results.ts';

describe('a logarithmic axis', () => {
  it.each([
    [
      [0.25, 6.3],
      [0.2, 0.5, 1, 2, 5, 10],
    ],
    [
      [1.1, 1.3],
      [1, 2],
    ],
    [[1], [1, 2]],
    [
      [13, 165],
      [10, 20, 50, 100, 200],
    ],
    [
      [0.1, 5_000],
      [0.1, 1, 10, 100, 1_000, 10_000],
    ],
  ])('a logarithmic axis of %j has the ticks %j', (values, ticks) => {
    expect(roundTicks(values)).toEqual(ticks);
  });

  it('a logarithmic axis places values by their ratio', () => {
    const scale = logScale([1, 10, 100], [0, 200]);
    expect([1, 10, 100].map((value) => scale.at(value))).toEqual([0, 100, 200]);
    expect(logScale([7], [0, 200]).at(7)).toBe(100);
  });
});

describe('the chart', () => {
  const rows = [200, 1_000, 10_000].flatMap((assets) => [
    result({ assets }),
    result({ assets, contender: 'hand-written' }, { requests: 7 * assets }),
    result({ assets, contender: 'script' }, { requests: 8 * assets, events: 0 }),
  ]);
  const svg = drawChart(rows);

  it('the chart contains one line per contender in each of three panels, and a legend', () => {
    expect(svg.match(/<polyline/g)).toHaveLength(9);
    expect(svg.match(/<path class="mark/g)).toHaveLength(3 * 9 + 3);
    for (const words of [
      'API requests per asset',
      'wall time / ideal',
      'CPU per asset',
      '10,000',
    ]) {
      expect(svg).toContain(words);
    }
    expect(svg).toContain('a plain script');
    expect(svg).not.toContain('webhooks</text>');
  });

  it('the chart can be drawn, and all points are inside it', async () => {
    const { width, height } = await sharp(Buffer.from(svg)).metadata();
    const points = [...svg.matchAll(/points="([^"]*)"/g)].flatMap(([, list = '']) =>
      list.split(' ').map((point) => point.split(',').map(Number)),
    );
    expect(points).toHaveLength(27);
    for (const [x = -1, y = -1] of points) {
      expect(x).toBeGreaterThan(0);
      expect(x).toBeLessThan(width);
      expect(y).toBeGreaterThan(50);
      expect(y).toBeLessThan(height - 40);
    }
  });

  it('the chart omits results measured under other conditions', () => {
    const other = [
      result({ workers: 3, assets: 77 }),
      result({ mix: true, assets: 77 }),
      result({ kills: 1, assets: 77 }),
      result({ windowSeconds: 5, assets: 77 }),
      result({ limit: 600, assets: 77 }),
    ];
    expect(drawChart([...rows, ...other])).toBe(svg);
    expect(() => drawChart(other.slice(0, 4))).toThrow('no results with one worker');
  });
});
