// Two pipelines share a quota of renders, on a real server: assets within it are delivered, and the others wait for
// the next month, by the clock of the platform, or fail.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSandbox } from '../../packages/sandbox/src/server/server.ts';
import type { RunShape } from '../../src/app/runs/run-shape.ts';
import type { RunningSandbox } from '../../src/sandbox/interface.ts';
import { runInProcess, startWorkerInProcess } from '../system/_in-process.ts';
import { names, writeModels } from '../system/_models.ts';
import { json } from '../system/_pipelines.ts';
import {
  createPipelineFolder,
  joined,
  type PipelineFolder,
  runArguments,
} from '../system/_runs.ts';
import { type Env, tempFolder, useProcesses, waitUntil } from '../system/_stack.ts';
import { useTemporal } from '../system/_temporal.ts';

useProcesses();
const temporal = useTemporal();

const november = Date.parse('2026-11-10T10:00:00Z');
let sandbox: RunningSandbox;
let env: Env;
let aheadMs = november - Date.now();
beforeAll(async () => {
  const clock = () => Date.now() + aheadMs;
  sandbox = await startSandbox({ speed: 20, pictureScale: 0, rateLimit: 0, clock });
  env = joined(temporal.env, {
    RENDERLINE_BASE_URL: sandbox.url,
    RENDERLINE_API_KEY: sandbox.apiKey,
  });
});
afterAll(() => sandbox.stop());

let counts: string;
beforeAll(async () => {
  counts = await tempFolder('counts');
});

/** A pipeline that shares a quota of three renders. */
async function pipeline(name: string, onBreach: string, models: number): Promise<PipelineFolder> {
  const place = await createPipelineFolder(name);
  const text = (await readFile(place.file, 'utf8'))
    .replace('name: pictures', `name: ${name}`)
    .replace('connectors:', `connectors:\n  counts: { type: local, path: ${counts} }`);
  const quota = `{ perMonth: 3, per: workspace, at: counts, onBreach: ${onBreach} }`;
  await writeFile(place.file, `${text}limits: { renders: ${quota} }\n`);
  await writeModels(place.folder, names(name, models));
  return place;
}

const command = async <T>(...argv: string[]) =>
  json<T>(await runInProcess([...argv, '--json'], env));
const show = (run: string) => command<RunShape>('show', run);

/** Requests that create renders, and render jobs. */
async function renders(): Promise<[number | undefined, number]> {
  const stats = await (await fetch(`${sandbox.origin}/_sandbox/stats`)).json();
  const { requests, created } = stats as {
    requests: Record<string, number>;
    created: { renderJobs: number };
  };
  return [requests['createRenders'], created.renderJobs];
}

async function used(month: string): Promise<number> {
  const folder = join(counts, '.renderline/renders.count', month);
  const last = (await readdir(folder)).sort().at(-1) ?? '';
  return (JSON.parse(await readFile(join(folder, last), 'utf8')) as { used: number }).used;
}

test('assets within the quota are delivered, and the others wait for the next month, whichever worker is running', async () => {
  const worker = await startWorkerInProcess(env);
  const first = await pipeline('first', 'stop', 2);
  expect(await command(...runArguments(first, '--wait'))).toMatchObject({ outcome: 'complete' });

  const second = await pipeline('second', 'wait', 3);
  const { run } = await command<{ run: string }>(...runArguments(second));
  await waitUntil('one is delivered, and two wait', async () => {
    const { assets, waits } = await show(run);
    return assets.complete === 1 && waits[0]?.until !== undefined;
  });
  const held = await show(run);
  expect(held).toMatchObject({
    outcome: 'running',
    waits: [
      {
        step: 'shots',
        assets: 2,
        for: 'the render quota of the next month',
        until: '2026-12-01T00:00:00.000Z',
      },
    ],
  });
  expect(await renders()).toEqual([2, 3]);
  expect(await used('2026-11')).toBe(3);

  // With `onBreach: stop`, assets beyond the quota fail, with a code.
  const third = await pipeline('third', 'stop', 1);
  const stopped = await runInProcess([...runArguments(third, '--wait'), '--json'], env);
  expect(JSON.parse(stopped.stdout)).toMatchObject({
    outcome: 'failed',
    failures: [{ code: 'RENDER_QUOTA_REACHED', node: 'shots' }],
  });

  // Neither the wait nor the count is kept in a worker.
  await worker.stop();
  aheadMs += Date.parse('2026-12-01T00:00:10Z') - november;
  await startWorkerInProcess(env);
  expect((await show(run)).waits).toMatchObject([{ assets: 2 }]);
  await command('pause', run);
  await command('resume', run);
  const ended = await command<RunShape>('show', run, '--wait');
  expect(ended).toMatchObject({
    outcome: 'complete',
    paid: { renders: 3 },
    requests: { byOperation: { createJob: 1, createProjects: 1, createRenders: 2 } },
  });
  expect(await renders()).toEqual([3, 5]);
  expect(await used('2026-12')).toBe(2);
  // As many events as a run without a quota, apart from the wait, one more request, the pause and the resume.
  expect(ended.historyEvents).toBeLessThan(150);

  // A rerun reuses the models of the stopped run.
  const again = await command<{ outcome: string; paid: unknown }>(
    'rerun',
    (JSON.parse(stopped.stdout) as { run: string }).run,
    '--failed',
    '--yes',
    '--wait',
  );
  expect(again).toMatchObject({ outcome: 'complete', paid: { renders: 1, models: 0 } });
  expect(await used('2026-12')).toBe(3);
});
