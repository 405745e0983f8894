// Draws the results as cost per asset by number of assets, with one line per contender.
import { logScale, roundTicks, type Scale } from './chart-scale.ts';
import { type Contender, contenders } from './options.ts';
import type { Result } from './results.ts';
import { limitOf, titles } from './titles.ts';

interface Panel {
  title: string;
  figureOf: (result: Result) => number | undefined;
}

const panels: readonly Panel[] = [
  {
    title: 'API requests per asset',
    figureOf: ({ assets, figures: f }) => ratio(f.requests, assets),
  },
  { title: 'wall time / ideal', figureOf: ({ figures: f }) => ratio(f.wall_ms, f.ideal_ms) },
  {
    title: 'CPU per asset, ms',
    figureOf: ({ assets, figures: f }) => ratio(sum(f.worker_cpu_ms, f.server_cpu_ms), assets),
  },
];

/** Colours for light and dark backgrounds, and a marker shape, so that lines differ even without colour. */
const looks: Record<Contender, { light: string; dark: string; mark: string }> = {
  renderline: { light: '#0969da', dark: '#58a6ff', mark: 'M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0' },
  webhooks: { light: '#1a7f37', dark: '#3fb950', mark: 'M-3.5 -3.5h7v7h-7z' },
  'hand-written': { light: '#cf222e', dark: '#ff7b72', mark: 'M0 -4.5L4.5 3.5H-4.5z' },
  script: { light: '#8250df', dark: '#d2a8ff', mark: 'M0 -5L5 0L0 5L-5 0z' },
};

const width = 900;
const height = 320;
const plot = { top: 84, bottom: 266, width: 228, first: 48, apart: 298 };

/**
 * Returns an SVG with three panels for light and dark backgrounds. It shows only runs with one worker and without a
 * parallel run, kills or a trial window. If there are several rate limits, it shows only the lowest.
 * @throws Error if the results contain no such run
 */
export function drawChart(results: readonly Result[]): string {
  const plain = results.filter(
    ({ workers, mix, kills, windowSeconds }) =>
      workers === 1 && !mix && kills === 0 && windowSeconds === 60,
  );
  const limit = Math.min(...plain.map((result) => result.limit));
  const drawnResults = plain
    .filter((result) => result.limit === limit)
    .toSorted((a, b) => a.assets - b.assets);
  if (drawnResults.length === 0) throw new Error('there are no results with one worker to draw');
  const names = contenders.filter((name) =>
    drawnResults.some(({ contender }) => contender === name),
  );
  const title = `What one still an asset costs, ${limitOf({ limit, windowSeconds: 60 })}`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${title}">`,
    `<title>${title}</title>`,
    `<style>${style}</style>`,
    `<text class="head" x="8" y="20">${title}</text>`,
    ...names.map((name, index) => legend(name, 16 + index * 190)),
    ...panels.map((panel, index) =>
      drawPanel(panel, drawnResults, names, plot.first + index * plot.apart),
    ),
    '</svg>',
    '',
  ].join('\n');
}

const style = [
  'text{font:12px system-ui,sans-serif;fill:#57606a}',
  '.head{font-size:14px;font-weight:600}.axis{font-size:11px}',
  '.grid{stroke:#57606a;stroke-opacity:.25}.line{fill:none;stroke-width:2}',
  ...Object.entries(looks).map(([name, { light }]) => color(name, light)),
  '@media(prefers-color-scheme:dark){text{fill:#b1bac4}.grid{stroke:#b1bac4}',
  ...Object.entries(looks).map(([name, { dark }]) => color(name, dark)),
  '}',
].join('');

function color(name: string, value: string): string {
  return `.line.${name}{stroke:${value}}.mark.${name}{fill:${value}}`;
}

function legend(name: Contender, x: number): string {
  return `${mark(name, x, 41)}<text x="${x + 12}" y="45">${titles[name]}</text>`;
}

function drawPanel(
  { title, figureOf }: Panel,
  drawn: readonly Result[],
  names: readonly Contender[],
  left: number,
): string {
  const points = drawn.flatMap((result) => {
    const value = figureOf(result);
    // A logarithmic axis cannot show 0.
    return value === undefined || value <= 0 ? [] : [{ ...result, value }];
  });
  if (points.length === 0) return '';
  const right = left + plot.width;
  const x = logScale([...new Set(points.map(({ assets }) => assets))], [left + 14, right - 14]);
  const y = logScale(roundTicks(points.map(({ value }) => value)), [plot.bottom, plot.top]);
  const lines = names.map((name) => {
    const ownPoints = points.filter(({ contender }) => contender === name);
    const positions = ownPoints.map(({ assets, value }) => [
      round(x.at(assets)),
      round(y.at(value)),
    ]);
    const path = positions.map(([px, py]) => `${px},${py}`).join(' ');
    return [
      `<polyline class="line ${name}" points="${path}"/>`,
      ...positions.map(([px = 0, py = 0]) => mark(name, px, py)),
    ].join('');
  });
  return [
    `<text x="${left}" y="${plot.top - 12}">${title}</text>`,
    ...y.ticks.map((tick) => rule(tick, y, left, right)),
    ...x.ticks.map(
      (tick) =>
        `<text class="axis" x="${round(x.at(tick))}" y="${plot.bottom + 18}" text-anchor="middle">${tick.toLocaleString('en')}</text>`,
    ),
    `<text class="axis" x="${left + plot.width / 2}" y="${plot.bottom + 38}" text-anchor="middle">assets</text>`,
    ...lines,
  ].join('\n');
}

function rule(tick: number, y: Scale, left: number, right: number): string {
  const tickY = round(y.at(tick));
  return [
    `<line class="grid" x1="${left}" x2="${right}" y1="${tickY}" y2="${tickY}"/>`,
    `<text class="axis" x="${left - 6}" y="${tickY + 4}" text-anchor="end">${tick}</text>`,
  ].join('');
}

function mark(name: Contender, x: number, y: number): string {
  return `<path class="mark ${name}" transform="translate(${x} ${y})" d="${looks[name].mark}"/>`;
}

function round(position: number): number {
  return Math.round(position * 10) / 10;
}

function sum(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : a + b;
}

function ratio(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : a / b;
}
