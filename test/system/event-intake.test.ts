// Pipelines that begin with events, on a real server: the platform tells, runs are started, nothing is lost.
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { names, smallModel, writeModels } from './_models.ts';
import { joined, makePlace, reportOf, startRun } from './_runs.ts';
import {
  type Env,
  type Running,
  run,
  type SandboxInUse,
  start,
  startSandboxProcess,
  startWorkerProcess,
  tempFolder,
  until,
  useProcesses,
} from './_stack.ts';
import { useDevServer } from './_temporal.ts';

const temporal = useDevServer();
useProcesses();

const shipped = fileURLToPath(new URL('../../pipelines/event-renders.yaml', import.meta.url));

let sandbox: SandboxInUse;
let env: Env;
let worker: Running;
beforeAll(async () => {
  sandbox = await startSandboxProcess([
    '--speed',
    '20',
    '--picture-scale',
    '0',
    '--allow-private-urls',
  ]);
  env = joined(temporal.env, sandbox.env);
  worker = await startWorkerProcess(env);
});

/** A pipeline file of its own name, which sweeps as often as it may, and a receiver that starts its runs. */
async function listening(name: string, out: string): Promise<{ receiver: Running; file: string }> {
  await mkdir(out, { recursive: true });
  const file = join(await tempFolder(name), `${name}.yaml`);
  const text = (await readFile(shipped, 'utf8'))
    .replace('name: event-renders', `name: ${name}`)
    .replace('gather: 5s, sweep: 15m', 'gather: 1s, sweep: 1m')
    .replace(
      'settings: { renderShots: false }',
      'settings: { renderShots: false, imageCustomResolution: true, imageCustomWidth: 64, imageCustomHeight: 36 }',
    );
  await writeFile(file, text);
  return { receiver: await receive(file, out), file };
}

async function receive(file: string, out: string): Promise<Running> {
  const { secret } = (await sandbox.api('PUT', '/webhooks', {
    url: 'http://127.0.0.1:9/nobody',
  })) as { secret: string };
  const receiver = start(['webhooks', file, '--param', `out=${out}`, '--port', '0', '--json'], {
    ...env,
    RENDERLINE_WEBHOOK_SECRET: secret,
  });
  await receiver.says('}');
  const { url } = JSON.parse(receiver.stdout()) as { url: string };
  await sandbox.api('PUT', '/webhooks', { url });
  return receiver;
}

/** As another client of the workspace uploads a model. */
async function upload(name: string): Promise<string> {
  const { models } = (await sandbox.api('POST', '/models', {
    models: [{ name, fileType: 'glb', fileName: `${name}.glb` }],
  })) as { models: { modelId: string; uploadUrl: string }[] };
  const [model] = models;
  if (!model) throw new Error('no model was created');
  const sent = await fetch(model.uploadUrl, {
    method: 'PUT',
    body: new Uint8Array(smallModel(name)),
  });
  expect(sent.status).toBe(200);
  await sandbox.api('POST', `/models/${model.modelId}/confirm`, { fileType: 'glb' });
  return model.modelId;
}

async function pictures(out: string): Promise<string[]> {
  const all = await readdir(out, { recursive: true });
  return all.filter((path) => path.endsWith('.png') && !path.includes('.renderline'));
}

async function runsOf(pipeline: string): Promise<{ run: string; state: string }[]> {
  const { stdout } = await run(['runs', '--json'], env);
  const { runs } = JSON.parse(stdout) as {
    runs: { run: string; pipeline: string; state: string }[];
  };
  return runs.filter((one) => one.pipeline === pipeline);
}

describe('a model that somebody uploads', () => {
  test('is rendered, once, however often the platform tells; a forged event starts nothing', async () => {
    const out = join(await tempFolder('told'), 'out');
    const { receiver } = await listening('told', out);
    await sandbox.set('faults', [
      { event: 'model.*', do: { repeat: 5 } },
      { event: 'model.*', every: 2, do: { forge: 'wrong-secret' } },
    ]);
    await upload('lamp');
    await until('the picture is there', async () => (await pictures(out)).length > 0);
    await until('the run has ended', async () =>
      (await runsOf('told')).every(({ state }) => state !== 'running'),
    );
    expect(await runsOf('told')).toMatchObject([{ state: 'complete' }]);
    await sandbox.set('faults', []);
    await receiver.stop();
  });

  test('while nobody receives is found by the sweep, also after the worker was killed', async () => {
    const out = join(await tempFolder('swept'), 'out');
    const { receiver } = await listening('swept', out);
    await receiver.stop('SIGKILL');
    await upload('chair');
    await worker.stop('SIGKILL');
    worker = await startWorkerProcess(env);
    await until('the sweep found it', async () => (await pictures(out)).length > 0, 150_000);
  }, 240_000);

  test('that is none of the workspace fails by name, and takes nothing with it', async () => {
    const out = join(await tempFolder('strange'), 'out');
    const { receiver } = await listening('strange', out);
    await sandbox.set('events', { event: 'model.processed', data: { modelId: 'not-there' } });
    await until('a run has ended', async () =>
      (await runsOf('strange')).some(({ state }) => state !== 'running'),
    );
    const [ended] = await runsOf('strange');
    const shown = await run(['show', ended?.run ?? '', '--json'], env);
    expect(shown.stdout).toContain('MODEL_NOT_FOUND');
    await receiver.stop();
  });
});

describe('what Renderline itself uploads', () => {
  test('starts no run', async () => {
    const place = await makePlace('own');
    const { receiver } = await listening('own', place.out);
    await writeModels(place.folder, names('mine', 2));
    reportOf(await startRun(place, env).finished);
    // Somebody else's comes after ours, so once it is rendered ours have been passed over.
    await upload('theirs');
    await until('theirs is there', async () =>
      (await pictures(place.out)).some((path) => path.startsWith('theirs')),
    );
    const runs = await runsOf('own');
    expect(runs).toHaveLength(1);
    expect((await pictures(place.out)).some((path) => path.startsWith('mine-01/'))).toBe(false);
    await receiver.stop();
  });
});
