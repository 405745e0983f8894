// `npm run bench`: compares Renderline with a hand-written workflow, a script and the ideal.
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { findTemporalServer } from '../src/temporal/server/find-server.ts';
import { drawChart } from './chart.ts';
import { stopChildren } from './child.ts';
import { formatComparison, hasWorseCounts, newestOfEach, ofNewestVersion } from './compare.ts';
import type { ContenderRunner } from './contender.ts';
import { stopOnSignals } from './environment.ts';
import { handWritten } from './hand-written/contender.ts';
import { type Measurement, measure } from './measure.ts';
import { type BenchOptions, type Contender, casesOf, readOptions } from './options.ts';
import { renderline, renderlineWithWebhooks } from './renderline/contender.ts';
import { addRow, parseRow, type Result, readResults, resultRow } from './results.ts';
import { script } from './script/contender.ts';
import { formatTables } from './table.ts';
import { titleOf, titles } from './titles.ts';

const manifest = fileURLToPath(new URL('../../package.json', import.meta.url));

const runners: Record<Contender, ContenderRunner> = {
  renderline,
  webhooks: renderlineWithWebhooks,
  'hand-written': handWritten,
  script,
};

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** @returns exit code, which is 1 if a comparison shows more requests or events */
async function bench(options: BenchOptions): Promise<number> {
  const earlierResults = await readResults(options.output);
  const { measured, leftOut, results } = options.kept
    ? { measured: [], leftOut: [], results: newestOfEach(earlierResults) }
    : await measureAll(options, earlierResults);
  const comparison = options.compare ? formatComparison(results) : undefined;
  if (options.chart !== '') {
    const rows = options.kept
      ? earlierResults
      : [...earlierResults, ...results.map(({ now }) => now)];
    await writeFile(options.chart, drawChart(ofNewestVersion(rows)));
    say(`chart: ${options.chart}`);
  }
  const { comparisons, text = '' } = comparison ?? {};
  const report = options.json
    ? JSON.stringify({ schema: 'renderline/bench/v1', measured, leftOut, comparisons })
    : [formatTables(measured, leftOut), text].filter((part) => part !== '').join('\n\n');
  process.stdout.write(`${report}\n`);
  return comparison && hasWorseCounts(comparison.comparisons) ? 1 : 0;
}

async function measureAll(options: BenchOptions, earlierResults: Result[]) {
  const { path: binary } = await findTemporalServer({ env: process.env, onProgress: say });
  const { cases, leftOut } = casesOf(options);
  const { version } = JSON.parse(await readFile(manifest, 'utf8')) as { version: string };
  const date = new Date().toISOString().slice(0, 10);
  const measured: Measurement[] = [];
  const results: { now: Result; earlier: Result[] }[] = [];
  for (const [index, benchCase] of cases.entries()) {
    say(`${index + 1}/${cases.length}: ${titles[benchCase.contender]}, ${titleOf(benchCase)}`);
    const result = await measure(benchCase, runners[benchCase.contender], binary, options.seed);
    say(`  ${(result.wallMs / 1_000).toFixed(1)} s, ${result.requests} requests`);
    measured.push(result);
    const row = resultRow(result, date, version);
    results.push(...parseRow(row).map((now) => ({ now, earlier: earlierResults })));
    if (options.output !== '') await addRow(options.output, row);
  }
  return { measured, leftOut, results };
}

stopOnSignals();
try {
  process.exitCode = await bench(readOptions(process.argv.slice(2)));
} catch (error) {
  say(`bench: ${error instanceof Error ? error.message : String(error)}\nOptions: bench/README.md`);
  await stopChildren();
  process.exitCode = 1;
}
