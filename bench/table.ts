// Formats the results as tables.
import { formatActions, sumOf } from './billed-actions.ts';
import type { Measurement } from './measure.ts';
import type { Case } from './options.ts';
import { limitOf, titleOf, titles } from './titles.ts';

interface Row {
  name: string;
  /** Returns null or undefined if the contender has no such figure. A row without figures is left out. */
  cellOf: (measured: Measurement) => string | null | undefined;
}

const rows: Row[] = [
  { name: 'API requests per asset', cellOf: (m) => (m.requests / m.assets).toFixed(2) },
  {
    name: 'minimum by the API batch sizes',
    cellOf: (m) => (m.fewestRequests / m.assets).toFixed(2),
  },
  { name: '429 responses', cellOf: (m) => String(m.rateLimited) },
  { name: 'rate limit used, mean and least used window', cellOf: useOf },
  {
    name: 'history events per asset',
    cellOf: cellIfTemporal((m) => (m.events / m.assets).toFixed(2)),
  },
  {
    name: 'Temporal Cloud actions per asset',
    cellOf: cellIfTemporal((m) => (sumOf(m.actions) / m.assets).toFixed(2)),
  },
  { name: 'actions by kind', cellOf: cellIfTemporal((m) => formatActions(m.actions, m.assets)) },
  { name: 'history bytes per asset', cellOf: cellIfTemporal((m) => perAsset(m.historyBytes, m)) },
  { name: 'largest event', cellOf: cellIfTemporal((m) => `${m.largestEventBytes} bytes`) },
  { name: 'longest workflow task', cellOf: cellIfTemporal((m) => `${m.longestTaskMs} ms`) },
  { name: 'wall time', cellOf: (m) => seconds(m.wallMs) },
  { name: 'ideal', cellOf: (m) => seconds(m.idealMs) },
  { name: 'wall time / ideal', cellOf: (m) => (m.wallMs / m.idealMs).toFixed(2) },
  { name: 'CPU per asset, worker and server', cellOf: (m) => `${cpuPerAsset(m).toFixed(1)} ms` },
  { name: 'peak memory of the worker', cellOf: (m) => `${m.workerPeakMib} MiB` },
  { name: 'peak memory of the server', cellOf: cellIfTemporal((m) => `${m.serverPeakMib} MiB`) },
  { name: 'CPU and memory of each worker', cellOf: (m) => cellIfSeveralWorkers(m, eachWorker(m)) },
  {
    name: 'tasks of the busiest and least busy worker',
    cellOf: ({ tasks }) => tasks && `${tasks.max} : ${tasks.min}`,
  },
  {
    name: 'delay until a result is noticed (95th percentile)',
    cellOf: (m) => `${(m.noticedP95Ms / 1_000).toFixed(2)} s`,
  },
  { name: 'one asset alone', cellOf: ({ single }) => single && seconds(single.aloneMs) },
  {
    name: 'one asset during a large run',
    cellOf: ({ single }) => single && seconds(single.behindMs),
  },
  { name: 'outputs', cellOf: (m) => `${m.outputs} of ${m.assets}` },
  {
    name: 'models, projects and renders created',
    cellOf: ({ created: c }) => `${c.models}, ${c.projects}, ${c.renderJobs}`,
  },
  {
    name: 'the sandbox: CPU per asset, memory',
    cellOf: (m) => `${(m.sandboxCpuMs / m.assets).toFixed(1)} ms, ${m.sandboxPeakMib} MiB`,
  },
];

function cpuPerAsset(m: Measurement): number {
  return (m.workerCpuMs + m.serverCpuMs) / m.assets;
}

/** Formats one Markdown table per size and limit, with a column for each contender. */
export function formatTables(measured: readonly Measurement[], leftOut: readonly Case[]): string {
  const groups = new Map<string, Measurement[]>();
  for (const measurement of measured) {
    const title = titleOf(measurement);
    groups.set(title, [...(groups.get(title) ?? []), measurement]);
  }
  const tables = [...groups].map(([title, measurements]) => formatTable(title, measurements));
  const notes = leftOut.map(
    (benchCase) =>
      `Not measured without --full: ${titles[benchCase.contender]}, ${titleOf(benchCase)}.`,
  );
  return [...tables, ...costBySize(measured), ...notes].join('\n\n');
}

function formatTable(title: string, measurements: readonly Measurement[]): string {
  const lines = [
    ['', ...measurements.map(({ contender }) => titles[contender])],
    ['---', ...measurements.map(() => '---:')],
    ...rows.flatMap(({ name, cellOf }) => {
      const cells = measurements.map(cellOf);
      return cells.some((cell) => cell) ? [[name, ...cells.map((cell) => cell ?? '–')]] : [];
    }),
  ].map((cells) => `| ${cells.join(' | ')} |`);
  const routes = measurements.map(({ contender, route }) => `${titles[contender]}: ${route}.`);
  const kills = measurements.flatMap((measurement) =>
    measurement.kills === 0 ? [] : [summarizeKills(measurement)],
  );
  return [`### ${title}`, '', ...lines, '', ...routes, ...kills].join('\n');
}

/** Summarizes what the kills cost in addition to time: missing outputs and duplicate resources. */
export function summarizeKills(
  m: Pick<
    Measurement,
    'contender' | 'assets' | 'mix' | 'outputs' | 'created' | 'kills' | 'perWorker'
  >,
): string {
  const { models, projects, renderJobs } = m.created;
  // A parallel run of one asset creates one more of each.
  const expectedCount = m.assets + (m.mix ? 1 : 0);
  const duplicates = Object.entries({ models, projects, renders: renderJobs })
    .filter(([, count]) => count > expectedCount)
    .map(([name, count]) => `${count - expectedCount} ${name}`);
  const killedCount = m.perWorker.filter((worker) => worker.killed).length;
  const missingCount = m.assets - m.outputs;
  return [
    `${titles[m.contender]}, ${killedCount} of ${m.kills} workers killed: `,
    missingCount === 0 ? 'no output is missing, ' : `${missingCount} outputs are missing, `,
    duplicates.length === 0
      ? 'nothing was paid for twice.'
      : `paid for twice: ${duplicates.join(', ')}.`,
  ].join('');
}

/**
 * Formats CPU time and requests per asset for the largest size compared with the smallest, for each contender and
 * limit.
 */
function costBySize(measured: readonly Measurement[]): string[] {
  const groups = new Map<string, Measurement[]>();
  for (const measurement of measured) {
    const name = `${titles[measurement.contender]}, ${limitOf(measurement)}`;
    groups.set(name, [...(groups.get(name) ?? []), measurement]);
  }
  return [...groups].flatMap(([name, sizes]) => {
    const sorted = sizes.toSorted((a, b) => a.assets - b.assets);
    const [small, large] = [sorted[0], sorted.at(-1)];
    if (!small || !large || small === large) return [];
    const cpu = (cpuPerAsset(large) / cpuPerAsset(small)).toFixed(2);
    const requests = (large.requests / large.assets / (small.requests / small.assets)).toFixed(2);
    return [
      `${name}: an asset of ${large.assets} costs ${cpu} times the CPU and ${requests} times the requests of one of ${small.assets}.`,
    ];
  });
}

function cellIfTemporal(cellOf: (m: Measurement) => string): Row['cellOf'] {
  return (m) => (m.events === 0 ? undefined : cellOf(m));
}

function cellIfSeveralWorkers({ perWorker }: Measurement, cell: string): string | undefined {
  return perWorker.length > 1 ? cell : undefined;
}

function eachWorker({ perWorker }: Measurement): string {
  return perWorker
    .map(({ cpuMs, peakMib, killed }) => `${seconds(cpuMs)} ${peakMib} MiB${killed ? ' †' : ''}`)
    .join('; ');
}

function useOf({ windowUse: use }: Measurement): string | null {
  const percent = (share: number) => `${(100 * share).toFixed(0)} %`;
  return use && `${percent(use.mean)}, ${percent(use.min)} of ${use.windows}`;
}

function perAsset(sum: number, { assets }: Measurement): string {
  return (sum / assets).toFixed(0);
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
