// Generates the SVG pictures of the architecture, for light and dark pages.

const light = {
  page: '#ffffff',
  card: '#faf6f1',
  edge: '#d9cbbb',
  text: '#2b2a33',
  faint: '#5f5b66',
  accent: '#b04a17',
};
const dark: typeof light = {
  page: '#1b1b1f',
  card: '#26252b',
  edge: '#4a4650',
  text: '#f2efe9',
  faint: '#b9b4bf',
  accent: '#f3a06b',
};

interface Box {
  x: number;
  y: number;
  title: string;
  lines: readonly string[];
  /** True for a part of Renderline. */
  isOwn?: true;
}

const size = { width: 230, height: 132 };
const [left, middle, right] = [24, 375, 726];
const [top, bottom] = [36, 292];

const boxes: readonly Box[] = [
  {
    x: left,
    y: top,
    title: 'Your pipeline',
    lines: ['a YAML file: the steps', 'for each model;', 'validated and tested'],
  },
  {
    x: middle,
    y: top,
    title: 'Temporal',
    lines: ['one workflow per run:', 'persists every step,', 'survives crashes, restarts'],
  },
  {
    x: right,
    y: top,
    title: 'Receiver',
    lines: ['webhooks of the platform:', 'wake-ups for waiting work,', 'events that start runs'],
    isOwn: true,
  },
  {
    x: left,
    y: bottom,
    title: 'Your files',
    lines: [
      'a folder, bucket or server:',
      'models in, pictures out,',
      'records beside the pictures',
    ],
  },
  {
    x: middle,
    y: bottom,
    title: 'Workers',
    lines: ['any number of them: send', 'each call once, poll for', 'all assets in one request'],
    isOwn: true,
  },
  {
    x: right,
    y: bottom,
    title: 'Platform',
    lines: [
      'paid, rate-limited REST API:',
      'models, projects, colorways,',
      'renders, production files',
    ],
  },
];

interface Arrow {
  from: readonly [number, number];
  to: readonly [number, number];
  label: string;
  at: readonly [number, number];
  anchor: 'start' | 'middle' | 'end';
}

const arrows: readonly Arrow[] = [
  { from: [258, 90], to: [371, 90], label: 'compiled', at: [314, 80], anchor: 'middle' },
  { from: [722, 90], to: [609, 90], label: 'events', at: [666, 80], anchor: 'middle' },
  { from: [470, 172], to: [470, 288], label: 'steps', at: [460, 234], anchor: 'end' },
  { from: [510, 288], to: [510, 172], label: 'results', at: [520, 234], anchor: 'start' },
  { from: [258, 340], to: [371, 340], label: 'models', at: [314, 330], anchor: 'middle' },
  { from: [371, 384], to: [258, 384], label: 'pictures', at: [314, 404], anchor: 'middle' },
  { from: [609, 340], to: [722, 340], label: 'requests', at: [666, 330], anchor: 'middle' },
  { from: [722, 384], to: [609, 384], label: 'responses', at: [666, 404], anchor: 'middle' },
  { from: [841, 288], to: [841, 172], label: 'notifications', at: [851, 234], anchor: 'start' },
  { from: [726, 162], to: [600, 288], label: 'wake-ups', at: [680, 234], anchor: 'start' },
];

/** Returns the pictures by path, relative to the root of the repository. */
export function drawArchitecture(): [string, string][] {
  return [
    ['docs/images/architecture.svg', drawPicture(light)],
    ['docs/images/architecture-dark.svg', drawPicture(dark)],
  ];
}

const architectureText =
  'Your pipeline is compiled and started in Temporal, which dispatches steps to workers and stores their results. Workers read models from your files, send requests to the platform, and deliver pictures. The platform notifies the receiver, which wakes up workers and starts runs.';

function drawPicture(palette: typeof light): string {
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 980 460" role="img" aria-label="${architectureText}" font-family="system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif">`,
    `<defs><marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0 10 5 0 10z" fill="${palette.accent}"/></marker></defs>`,
    `<rect width="980" height="460" rx="14" fill="${palette.page}"/>`,
    ...arrows.map((arrow) => arrowSvg(arrow, palette)),
    ...boxes.map((box) => boxSvg(box, palette)),
    '</svg>',
  ].join('\n')}\n`;
}

function boxSvg({ x, y, title, lines, isOwn }: Box, palette: typeof light): string {
  const { width, height } = size;
  const edge = isOwn ? palette.accent : palette.edge;
  return [
    `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="10" fill="${palette.card}" stroke="${edge}" stroke-width="${isOwn ? 2.5 : 1.5}"/>`,
    `<text x="${x + 16}" y="${y + 32}" font-size="19" font-weight="700" fill="${palette.text}">${title}</text>`,
    ...lines.map(
      (line, index) =>
        `<text x="${x + 16}" y="${y + 60 + index * 22}" font-size="14" fill="${palette.faint}">${line}</text>`,
    ),
  ].join('\n');
}

function arrowSvg({ from, to, label, at, anchor }: Arrow, palette: typeof light): string {
  const position = `x="${at[0]}" y="${at[1]}" text-anchor="${anchor}"`;
  return [
    `<path d="M${from.join(' ')} ${to.join(' ')}" stroke="${palette.accent}" stroke-width="2" fill="none" marker-end="url(#tip)"/>`,
    `<text ${position} font-size="14" fill="${palette.text}">${label}</text>`,
  ].join('\n');
}
