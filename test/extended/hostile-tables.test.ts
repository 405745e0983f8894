// Tables that once ended worker after worker: each fails its own run, and the worker continues with the next.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  createGridFolder,
  delivered,
  paint,
  rowsOf,
  writeTable,
} from '../system/_colorway-grid.ts';
import { joined, reportOf, startRun } from '../system/_runs.ts';
import { fastSandbox, startSandbox } from '../system/_sandbox.ts';
import { startWorkerProcess, useProcesses, waitForExit } from '../system/_stack.ts';
import { useTemporal } from '../system/_temporal.ts';

const temporal = useTemporal();
useProcesses();

const head = 'model,colorway,slot,material\n';
const row = 'chair,Oak,body,Oak\n';
const tables: readonly [string, RegExp][] = [
  [head + row + ','.repeat(60_000_000), /more than 2000000 cells/],
  [
    `sep=|\n${(head + row).replaceAll(',', '|')}${'|'.repeat(60_000_000)}`,
    /more than 2000000 cells/,
  ],
  [head + row + '\n'.repeat(60_000_000), /more than 2000000 cells/],
  [`${head}"${'"'.repeat(60_000_000)}`, /20000/],
];

test('a worker with little memory survives hostile tables of 60 MB, and only their runs fail', async () => {
  const sandbox = await startSandbox(fastSandbox);
  await paint(sandbox);
  const env = joined(temporal.env, sandbox.env, { NODE_OPTIONS: '--max-old-space-size=400' });
  const place = await createGridFolder('hostile', ['chair']);
  const worker = await startWorkerProcess(env);
  for (const [text, why] of tables) {
    await writeFile(join(place.folder, 'colorways.csv'), text);
    const finished = await waitForExit(startRun(place, env), worker);
    expect(finished.code, finished.stderr + finished.stdout).not.toBe(0);
    expect(finished.stdout).toContain('COLORWAY_TABLE');
    expect(finished.stdout).toMatch(why);
    expect(worker.hasExited()).toBe(false);
  }
  await writeTable(place, rowsOf(['chair'], ['Oak']));
  const report = reportOf(await waitForExit(startRun(place, env), worker));
  expect(report).toMatchObject({ outcome: 'complete', assets: { total: 1, complete: 1 } });
  expect(await delivered(place)).toEqual({ 'chair/Oak': 1 });
  expect(worker.hasExited()).toBe(false);
});
