// One asset is followed through the log of a worker, from its upload to its end, by its key or the hash of its key.
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runInProcess } from '../system/_in-process.ts';
import { names, writeModels } from '../system/_models.ts';
import { createPipelineFolder, joined, reportOf, runArguments } from '../system/_runs.ts';
import { fastSandbox, startSandbox } from '../system/_sandbox.ts';
import { type Env, start, useProcesses } from '../system/_stack.ts';
import { useTemporal } from '../system/_temporal.ts';

const temporal = useTemporal();
useProcesses();

type Line = Record<string, unknown>;

const hashOf = (key: string) => createHash('sha256').update(key).digest('hex').slice(0, 12);

/** Runs a folder with two models and an invalid file, and returns what the worker wrote to the log. */
async function logOf(name: string, args: string[], more: Env = {}) {
  const sandbox = await startSandbox(fastSandbox);
  const env = joined(temporal.env, sandbox.env, more);
  const worker = start(['worker', ...args], env);
  await worker.waitForOutput('Task queue');
  const place = await createPipelineFolder(name);
  const keys = names(name, 2);
  await writeModels(place.folder, keys);
  await writeFile(join(place.folder, `${name}-broken.glb`), 'no model');
  const report = reportOf(await runInProcess([...runArguments(place), '--wait', '--json'], env), 3);
  const { stderr } = await worker.stop();
  await sandbox.stop();
  const lines = stderr
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Line)
    .filter(({ run }) => run === report.run);
  const [key = ''] = keys;
  return { key, broken: `${name}-broken`, lines, stderr, report, env };
}

const steps = (lines: readonly Line[], field: string, value: string) =>
  lines.filter((line) => line[field] === value && /^asset( finished)?$/.test(String(line['msg'])));

test('with --log-assets, each step of an asset has one log line, from upload to export', async () => {
  const { key, broken, lines, stderr, report, env } = await logOf('followed', ['--log-assets']);
  const own = steps(lines, 'key', key);
  expect(own.map(({ msg, step, outcome }) => [msg, step, outcome])).toEqual([
    ['asset', 'take', 'done'],
    ['asset', 'ready', 'done'],
    ['asset', 'look', 'done'],
    ['asset', 'shots.project', 'done'],
    ['asset', 'shots', 'done'],
    ['asset', 'shots.wait', 'done'],
    ['asset', 'deliver', 'done'],
    ['asset finished', undefined, 'complete'],
  ]);
  expect(steps(lines, 'keyHash', hashOf(key))).toEqual(own);
  for (const line of own) expect(line).toMatchObject({ level: 30, run: report.run, shard: 1 });
  expect(own[1]).toMatchObject({ node: 'ready', type: 'model_ready', ms: expect.any(Number) });
  expect(own.at(-1)?.['modelId']).toBe(own[1]?.['modelId']);
  expect(own[1]?.['modelId']).toEqual(expect.any(String));
  expect(steps(lines, 'key', broken)).toMatchObject([
    { step: 'take', outcome: 'failed', code: 'NOT_A_GLB' },
    { msg: 'asset finished', outcome: 'failed', node: 'take', code: 'NOT_A_GLB' },
  ]);
  // No API key, and no link that gives access to anyone who has it.
  expect(stderr).not.toContain(env['RENDERLINE_API_KEY']);
  expect(stderr).not.toMatch(/https?:\/\/[^"]*\?|signature|token=/i);
});

test('with hashes, no log line contains the name of an asset', async () => {
  const { key, lines, stderr } = await logOf('hashed', [], { RENDERLINE_LOG_ASSETS: 'hash' });
  expect(steps(lines, 'keyHash', hashOf(key))).toHaveLength(8);
  expect(stderr).not.toContain(key);
});

test('without --log-assets, lines about assets appear only at level debug', async () => {
  const { key, lines } = await logOf('debugged', [], { RENDERLINE_LOG: 'debug' });
  const own = steps(lines, 'key', key);
  expect(own).toHaveLength(8);
  expect(own[0]).toMatchObject({ level: 20 });
  const usual = await logOf('usual', []);
  expect(steps(usual.lines, 'key', usual.key)).toEqual([]);
});
