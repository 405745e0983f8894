// `npm run bench`: measures Renderline beside the usual workflow and beside the ideal.
import { existsSync } from 'node:fs';
import { appendFile, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { findTemporalServer } from '../src/temporal/find-server.ts';
import { stopChildren } from './child.ts';
import type { Side } from './contender.ts';
import { type Measurement, measure } from './measure.ts';
import { type BenchOptions, type Contender, casesOf, readOptions } from './options.ts';
import { renderline, renderlineWithWebhooks } from './renderline/side.ts';
import { csvHead, csvRow, formatTables } from './table.ts';
import { usual } from './usual/side.ts';

const sides: Record<Contender, Side> = {
  renderline,
  webhooks: renderlineWithWebhooks,
  usual,
};

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

async function bench(options: BenchOptions): Promise<void> {
  const { path: binary } = await findTemporalServer({ env: process.env, onProgress: say });
  const { cases, leftOut } = casesOf(options);
  const measured: Measurement[] = [];
  for (const [index, one] of cases.entries()) {
    const { contender, assets, limit } = one;
    say(`${index + 1}/${cases.length}: ${contender}, ${assets} assets, limit ${limit || 'none'}`);
    const result = await measure(one, sides[contender], binary, options.seed);
    say(`  ${(result.wallMs / 1_000).toFixed(1)} s, ${result.requests} requests`);
    measured.push(result);
    await keep(result, options.output);
  }
  const answer = options.json
    ? JSON.stringify({ schema: 'renderline/bench/v1', measured, leftOut })
    : formatTables(measured, leftOut);
  process.stdout.write(`${answer}\n`);
}

/** Adds a row to the file that is committed with each release. */
async function keep(result: Measurement, file: string): Promise<void> {
  if (file === '') return;
  const manifest = fileURLToPath(new URL('../../package.json', import.meta.url));
  const { version } = JSON.parse(await readFile(manifest, 'utf8')) as { version: string };
  const head = existsSync(file) ? '' : `${csvHead}\n`;
  const date = new Date().toISOString().slice(0, 10);
  await appendFile(file, `${head}${csvRow(result, date, version)}\n`);
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    say(`${signal}: stopping`);
    void stopChildren().finally(() => process.exit(130));
  });
}
try {
  await bench(readOptions(process.argv.slice(2)));
} catch (error) {
  say(`bench: ${error instanceof Error ? error.message : String(error)}\nOptions: bench/README.md`);
  await stopChildren();
  process.exitCode = 1;
}
