// Compares results with earlier ones, from another version if there are any, and marks what has become worse.
import { caseKey } from './options.ts';
import type { Result } from './results.ts';
import { titleOf, titles } from './titles.ts';

/** Counts hardly depend on the machine. Times depend on the machine and its load. */
type Kind = 'count' | 'size' | 'time';
const worseFrom: Record<Kind, number> = { count: 1.05, size: 1.25, time: 1.25 };

interface Figure {
  name: string;
  kind: Kind;
  figureOf: (figures: Result['figures']) => number | undefined;
}

const comparedFigures: readonly Figure[] = [
  { name: 'requests', kind: 'count', figureOf: ({ requests }) => requests },
  { name: 'events', kind: 'count', figureOf: ({ events }) => events },
  { name: '429 responses', kind: 'size', figureOf: ({ rate_limited }) => rate_limited },
  { name: 'history bytes', kind: 'size', figureOf: ({ history_bytes }) => history_bytes },
  { name: 'wall time, ms', kind: 'time', figureOf: ({ wall_ms }) => wall_ms },
  {
    name: 'CPU of workers and server, ms',
    kind: 'time',
    figureOf: ({ worker_cpu_ms: worker, server_cpu_ms: server }) =>
      worker === undefined || server === undefined ? undefined : worker + server,
  },
  {
    name: 'memory of a worker, MiB',
    kind: 'size',
    figureOf: ({ worker_peak_mib }) => worker_peak_mib,
  },
  {
    name: 'delay until noticed, ms',
    kind: 'time',
    figureOf: ({ noticed_p95_ms }) => noticed_p95_ms,
  },
  { name: 'one asset during a large run, ms', kind: 'time', figureOf: (f) => f.single_behind_ms },
];

export interface Comparison {
  case: string;
  figure: string;
  kind: Kind;
  last: number;
  now: number;
  ratio: number;
  worse: boolean;
}

/** Returns the last result of the same case from another version or, if there is none, from the same version. */
export function baselineOf(now: Result, earlierResults: readonly Result[]): Result | undefined {
  const resultsOfCase = earlierResults.filter((result) => caseKey(result) === caseKey(now));
  return resultsOfCase.findLast(({ version }) => version !== now.version) ?? resultsOfCase.at(-1);
}

export function compareResults(now: Result, last: Result): Comparison[] {
  return comparedFigures.flatMap(({ name, kind, figureOf }) => {
    const [before, after] = [figureOf(last.figures), figureOf(now.figures)];
    if (before === undefined || after === undefined || (before === 0 && after === 0)) return [];
    // An increase from zero is always worse.
    const ratio = before === 0 ? Number.POSITIVE_INFINITY : after / before;
    return [
      {
        case: `${titles[now.contender]}, ${titleOf(now)}`,
        figure: name,
        kind,
        last: before,
        now: after,
        ratio,
        worse: ratio > worseFrom[kind],
      },
    ];
  });
}

/** True if a count has become worse. Only requests and events count here, because they hardly depend on the machine. */
export function hasWorseCounts(comparisons: readonly Comparison[]): boolean {
  return comparisons.some(({ kind, worse }) => kind === 'count' && worse);
}

/** Returns the newest result of each case, with the earlier results. */
export function newestOfEach(rows: readonly Result[]): { now: Result; earlier: Result[] }[] {
  const lastIndexByCase = new Map(rows.map((row, index) => [caseKey(row), index]));
  return [...lastIndexByCase.values()].flatMap((index) => {
    const now = rows[index];
    return now ? [{ now, earlier: rows.slice(0, index) }] : [];
  });
}

/** Returns the newest result of each case from the newest version. */
export function ofNewestVersion(rows: readonly Result[]): Result[] {
  const version = rows.at(-1)?.version;
  return newestOfEach(rows)
    .map(({ now }) => now)
    .filter((row) => row.version === version);
}

/** Formats a Markdown table, and a line for each case that states which result, if any, it is compared with. */
export function formatComparison(pairs: readonly { now: Result; earlier: readonly Result[] }[]): {
  text: string;
  comparisons: Comparison[];
} {
  const comparisons: Comparison[] = [];
  const notes: string[] = [];
  for (const { now, earlier } of pairs) {
    const last = baselineOf(now, earlier);
    const name = `${titles[now.contender]}, ${titleOf(now)}`;
    if (last) {
      comparisons.push(...compareResults(now, last));
      notes.push(`${name}: ${now.version} compared with ${last.version} of ${last.date}.`);
    } else notes.push(`${name}: nothing to compare it with.`);
  }
  const lines = [
    ['case', 'figure', 'last', 'now', 'now / last', ''],
    ['---', '---', '---:', '---:', '---:', '---'],
    ...comparisons.map(({ case: name, figure, last, now, ratio, worse, kind }) => [
      name,
      figure,
      String(last),
      String(now),
      Number.isFinite(ratio) ? ratio.toFixed(2) : '–',
      worse ? (kind === 'count' ? '**worse**' : 'worse') : '',
    ]),
  ].map((cells) => `| ${cells.join(' | ')} |`);
  const rule = 'Worse: counts by more than 5 %, times and sizes by more than 25 %.';
  return { text: [...lines, '', rule, ...notes].join('\n'), comparisons };
}
