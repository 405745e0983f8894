// `node dist/bench/rows.js`: measures what the rows of a large table cost a run, compared with a run without a table.
import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { wholeNumber } from '../scripts/whole-number.ts';
import { findTemporalServer } from '../src/temporal/server/find-server.ts';
import { stopChildren } from './child.ts';
import type { ContenderRunner } from './contender.ts';
import { stopOnSignals } from './environment.ts';
import { type Measurement, measure } from './measure.ts';
import type { Case } from './options.ts';
import { renderlineWith, stills } from './renderline/contender.ts';

/** Limit for requests and events. They hardly depend on the machine, because only the times of polls differ. */
const maxRatio = 1.05;
const maxMoreMib = 100;

const { values } = parseArgs({
  options: {
    assets: { type: 'string', default: '10000' },
    rows: { type: 'string', default: '200000' },
    limit: { type: 'string', default: '0' },
    seed: { type: 'string', default: '7' },
  },
});
const assets = wholeNumber('--assets', values.assets, 1);
const rows = wholeNumber('--rows', values.rows, 1);
const limit = wholeNumber('--limit', values.limit, 0);
const seed = wholeNumber('--seed', values.seed, 0);

/** Variants of the pipeline file, each as an edit of the file without a table. */
const variants: Record<string, (text: string) => string> = {
  'no table': (text) => text,
  'rows of assets': (text) =>
    text
      .replace(
        'nodes:',
        'data: { products: { connector: models, path: products.csv, key: Style } }\nnodes:',
      )
      .replace('{{ key }}.', '{{ row.sku }}.'),
  'rows as assets': (text) =>
    text
      .replace(
        'nodes:',
        'data: { products: { connector: models, path: products.csv, key: SKU } }\nnodes:',
      )
      .replace('stableFor: 0s', 'stableFor: 0s, list: { table: products, file: File }'),
};

stopOnSignals();
const folder = await mkdtemp(join(tmpdir(), 'renderline-rows-'));
try {
  process.exitCode = await compare();
} finally {
  await stopChildren();
  await rm(folder, { recursive: true, force: true });
}

/** @returns exit code, which is 1 if a table costs requests, events or much memory */
async function compare(): Promise<number> {
  const { path: binary } = await findTemporalServer({ env: process.env });
  const text = await readFile(stills, 'utf8');
  const benchCase: Case = {
    contender: 'renderline',
    assets,
    limit,
    workers: 1,
    windowSeconds: 60,
    mix: false,
    kills: 0,
  };
  print(['variant', 'outputs', 'requests', 'events', 'worker MiB', 'worker CPU ms', 'wall ms']);
  let base: Measurement | undefined;
  let worse = 0;
  for (const [name, edit] of Object.entries(variants)) {
    const file = join(folder, `${name.replaceAll(' ', '-')}.yaml`);
    await writeFile(file, edit(text));
    const measurement = await measure(benchCase, withTable(renderlineWith(file)), binary, seed);
    const { outputs, requests, events, workerPeakMib, workerCpuMs, wallMs } = measurement;
    print([name, outputs, requests, events, workerPeakMib, workerCpuMs, wallMs]);
    base ??= measurement;
    if (costsMore(measurement, base)) worse += 1;
  }
  return worse > 0 ? 1 : 0;
}

function costsMore(measurement: Measurement, base: Measurement): boolean {
  return (
    measurement.outputs !== base.outputs ||
    measurement.requests > base.requests * maxRatio ||
    measurement.events > base.events * maxRatio ||
    measurement.workerPeakMib > base.workerPeakMib + maxMoreMib
  );
}

/** Writes the table next to the models. Rows without a model contain no file name. */
function withTable(runner: ContenderRunner): ContenderRunner {
  return {
    ...runner,
    async start(environment, task) {
      const { names, folder: models } = task.workload;
      const lines = function* () {
        yield 'Style,SKU,File,Colour,GTIN,Text\n';
        for (let index = 0; index < rows; index += 1) {
          const name = names[index] ?? `other-${index}`;
          const file = names[index] === undefined ? '' : `${name}.glb`;
          yield `${name},SKU-${index},${file},Colour ${index % 50},40063813${index},${'unread '.repeat(10)}${index}\n`;
        }
      };
      await pipeline(Readable.from(lines()), createWriteStream(join(models, 'products.csv')));
      await runner.start(environment, task);
    },
  };
}

function print(cells: readonly (string | number)[]): void {
  const texts = cells.map((cell) => (typeof cell === 'number' ? String(Math.round(cell)) : cell));
  process.stdout.write(`${texts.map((text) => text.padStart(15)).join('')}\n`);
}
