// The results as people read them, and as rows for comparing releases.
import type { Measurement } from './measure.ts';
import type { Case, Contender } from './options.ts';

const titles: Record<Contender, string> = {
  renderline: 'Renderline',
  webhooks: 'Renderline with webhooks',
  usual: 'the usual workflow',
};

interface Row {
  name: string;
  of: (measured: Measurement) => string;
}

const rows: Row[] = [
  { name: 'API requests an asset', of: (m) => (m.requests / m.assets).toFixed(2) },
  { name: 'fewest by the caps of the API', of: (m) => (m.fewestRequests / m.assets).toFixed(2) },
  { name: 'answers 429', of: (m) => String(m.rateLimited) },
  { name: 'history events an asset', of: (m) => (m.events / m.assets).toFixed(2) },
  { name: 'wall time', of: (m) => `${(m.wallMs / 1_000).toFixed(1)} s` },
  { name: 'ideal', of: (m) => `${(m.idealMs / 1_000).toFixed(1)} s` },
  { name: 'wall time / ideal', of: (m) => (m.wallMs / m.idealMs).toFixed(2) },
  { name: 'CPU an asset, worker and server', of: (m) => `${cpuAnAsset(m).toFixed(1)} ms` },
  { name: 'most memory of the worker', of: (m) => `${m.workerPeakMib} MiB` },
  { name: 'ready to noticed, p95', of: (m) => `${(m.noticedP95Ms / 1_000).toFixed(2)} s` },
  { name: 'outputs', of: (m) => `${m.outputs} of ${m.assets}` },
];

export function cpuAnAsset(m: Measurement): number {
  return (m.workerCpuMs + m.serverCpuMs) / m.assets;
}

/** One Markdown table per size and limit, sides beside each other. */
export function formatTables(measured: readonly Measurement[], leftOut: readonly Case[]): string {
  const groups = new Map<string, Measurement[]>();
  for (const one of measured) {
    const title = titleOf(one);
    groups.set(title, [...(groups.get(title) ?? []), one]);
  }
  const tables = [...groups].map(([title, sides]) => formatTable(title, sides));
  const notes = leftOut.map(
    (one) => `Not measured without --full: ${titles[one.contender]}, ${titleOf(one)}.`,
  );
  return [...tables, ...costBySize(measured), ...notes].join('\n\n');
}

function formatTable(title: string, sides: readonly Measurement[]): string {
  const lines = [
    ['', ...sides.map(({ contender }) => titles[contender])],
    ['---', ...sides.map(() => '---:')],
    ...rows.map(({ name, of }) => [name, ...sides.map(of)]),
  ].map((cells) => `| ${cells.join(' | ')} |`);
  const routes = sides.map(({ contender, route }) => `${titles[contender]}: ${route}.`);
  return [`### ${title}`, '', ...lines, '', ...routes].join('\n');
}

/** Processor time an asset of the largest size against the smallest, for each side and limit. */
function costBySize(measured: readonly Measurement[]): string[] {
  const groups = new Map<string, Measurement[]>();
  for (const one of measured) {
    const name = `${titles[one.contender]}, ${limitOf(one)}`;
    groups.set(name, [...(groups.get(name) ?? []), one]);
  }
  return [...groups].flatMap(([name, sizes]) => {
    const sorted = sizes.toSorted((a, b) => a.assets - b.assets);
    const [small, large] = [sorted[0], sorted.at(-1)];
    if (!small || !large || small === large) return [];
    const cpu = (cpuAnAsset(large) / cpuAnAsset(small)).toFixed(2);
    const requests = (large.requests / large.assets / (small.requests / small.assets)).toFixed(2);
    return [
      `${name}: an asset of ${large.assets} costs ${cpu} times the CPU and ${requests} times the requests of one of ${small.assets}.`,
    ];
  });
}

function titleOf(one: Case): string {
  return `${one.assets} assets, ${limitOf(one)}`;
}

function limitOf({ limit }: Case): string {
  return limit === 0 ? 'no limit' : `${limit} requests a minute`;
}

const columns: Record<string, (m: Measurement) => string | number> = {
  side: (m) => m.contender,
  assets: (m) => m.assets,
  limit: (m) => m.limit,
  requests: (m) => m.requests,
  rate_limited: (m) => m.rateLimited,
  events: (m) => m.events,
  wall_ms: (m) => m.wallMs,
  ideal_ms: (m) => m.idealMs,
  worker_cpu_ms: (m) => Math.round(m.workerCpuMs),
  server_cpu_ms: (m) => Math.round(m.serverCpuMs),
  worker_peak_mib: (m) => m.workerPeakMib,
  noticed_p95_ms: (m) => m.noticedP95Ms,
  outputs: (m) => m.outputs,
};

export const csvHead = ['date', 'version', ...Object.keys(columns)].join(',');

export function csvRow(m: Measurement, date: string, version: string): string {
  return [date, version, ...Object.values(columns).map((valueOf) => valueOf(m))].join(',');
}
