// The platform's pipelines: from a file in a connected folder to its render.
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SandboxOptions } from '../../../../src/sandbox/interface.ts';
import { TestSandbox, triangleGlb } from '../_test-sandbox.ts';

interface Job {
  id: string;
  status: string;
  sourceFile: { name: string; path: string; size: number };
  glossiModelId: string | null;
  glossiProjectId: string | null;
  renderOutputs: number;
  retryCount: number;
  lastError: string | null;
}

const all = ['connector_poll', 'model_ready', 'template_match', 'project_created', 'render'];

let root: string;
let folder: string;
let sandbox: TestSandbox;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'renderline-pipelines-'));
  folder = join(root, 'in');
  mkdirSync(folder);
  sandbox = start();
});
afterEach(async () => {
  await sandbox.sandbox.close();
  rmSync(root, { recursive: true, force: true });
});

function start(options: SandboxOptions = {}): TestSandbox {
  return new TestSandbox({ connectors: { incoming: folder }, ...options });
}

const put = (name: string, bytes: Uint8Array = triangleGlb([], name)) =>
  writeFileSync(join(folder, name), bytes);

const faults = (...rules: object[]) => sandbox.control('/faults', rules);

async function pipeline(more: object = {}, config: object = {}): Promise<string> {
  const nodes = all.map((type) => ({ type, enabled: true, config }));
  const { body } = await sandbox.call<{ id: string }>('POST /pipelines', {
    name: 'shoes',
    nodes,
    ...more,
  });
  return body.id;
}

async function jobs(id: string): Promise<Job[]> {
  return (await sandbox.call<{ jobs: Job[] }>(`GET /pipelines/${id}/jobs`)).body.jobs;
}

/** Reads the jobs several times. After each read, waits for copies and pictures and advances the clock. */
async function turns(id: string, count: number, seconds = 3): Promise<Job[]> {
  for (let turn = 0; turn < count; turn += 1) {
    await jobs(id);
    await sandbox.sandbox.idle();
    sandbox.advance(seconds);
  }
  return jobs(id);
}

describe('a file in the folder', () => {
  test('a file becomes a model, a project and a render', async () => {
    const id = await pipeline({}, { templateId: 'tpl-hero-dark' });
    mkdirSync(join(folder, 'spring'));
    put('spring/Red Shoe.glb');
    const seen: string[] = [];
    for (let turn = 0; turn < 24; turn += 1) {
      const [job] = await turns(id, 1, 1);
      if (job && seen.at(-1) !== job.status) seen.push(job.status);
    }
    expect(seen).toEqual(['INGESTING', 'PROCESSING', 'RENDER_QUEUED', 'RENDERING', 'COMPLETED']);
    const [job] = await jobs(id);
    expect(job).toEqual({
      id: expect.any(String),
      status: 'COMPLETED',
      sourceFile: {
        name: 'Red Shoe.glb',
        path: 'spring/Red Shoe.glb',
        size: triangleGlb([], 'spring/Red Shoe.glb').length,
      },
      glossiModelId: expect.any(String),
      glossiProjectId: expect.any(String),
      renderOutputs: 1,
      retryCount: 0,
      lastError: null,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    expect((await sandbox.call(`GET /models/${job?.glossiModelId}`)).body).toMatchObject({
      name: 'Red Shoe',
      status: 'READY',
    });
    expect((await sandbox.call(`GET /projects/${job?.glossiProjectId}`)).body).toMatchObject({
      modelIds: [job?.glossiModelId],
      templateId: 'tpl-hero-dark',
    });
    const { body } = await sandbox.call(`GET /renders?projectId=${job?.glossiProjectId}`);
    expect(body).toMatchObject({ total: 1 });
    expect((await sandbox.call(`GET /pipelines/${id}`)).body).toMatchObject({
      jobStats: { COMPLETED: 1, FAILED: 0 },
    });
  });

  test('a file is imported once it stops changing, and again after a change', async () => {
    const id = await pipeline();
    put('a.glb', triangleGlb().subarray(0, 100));
    expect(await jobs(id)).toEqual([]);
    sandbox.advance(0.9);
    put('a.glb');
    expect(await turns(id, 1, 0.9)).toEqual([]);
    expect(await turns(id, 1, 0.2)).toHaveLength(1);
    expect(await turns(id, 5)).toHaveLength(1);
    utimesSync(join(folder, 'a.glb'), 1_900_000_000, 1_900_000_000);
    const again = await turns(id, 8);
    expect(again.map(({ status }) => status)).toEqual(['COMPLETED', 'COMPLETED']);
  });

  test.each(['.hidden.glb', 'notes.txt', 'texture.png'])(
    'a file with the name %s is not imported',
    async (name) => {
      put(name);
      expect(await turns(await pipeline(), 3)).toEqual([]);
    },
  );

  test('a file is imported only if it matches the pattern of the node', async () => {
    put('a.glb');
    put('b.glb');
    const taken = await turns(await pipeline({}, { pattern: 'b*' }), 2);
    expect(taken.map(({ sourceFile }) => sourceFile.name)).toEqual(['b.glb']);
  });

  test('each read imports at most batchSize files, and jobs are listed newest first', async () => {
    for (const name of ['a.glb', 'b.glb', 'c.glb', 'd.glb', 'e.glb']) put(name);
    const id = await pipeline({ batchSize: 2 });
    expect(await jobs(id)).toHaveLength(0);
    sandbox.advance(1);
    expect(await jobs(id)).toHaveLength(2);
    expect(await jobs(id)).toHaveLength(4);
    const five = await jobs(id);
    expect(five.map(({ sourceFile }) => sourceFile.name)).toEqual(
      ['a.glb', 'b.glb', 'c.glb', 'd.glb', 'e.glb'].toReversed(),
    );
  });

  test('a file becomes only a model if no later node is enabled', async () => {
    put('a.glb');
    const nodes = [
      { type: 'connector_poll', enabled: true },
      { type: 'render', enabled: false },
    ];
    const [job] = await turns(await pipeline({ nodes }), 5);
    expect(job).toMatchObject({ status: 'COMPLETED', glossiProjectId: null, renderOutputs: 0 });
  });
});

describe('a pipeline', () => {
  test.each(['PAUSED', 'ERROR'])(
    'a pipeline that is %s imports no files, but its jobs continue',
    async (status) => {
      const id = await pipeline();
      put('a.glb');
      await turns(id, 1, 1);
      expect(await jobs(id)).toHaveLength(1);
      await sandbox.call(`PATCH /pipelines/${id}`, { status });
      put('b.glb');
      expect((await turns(id, 8)).map((job) => job.status)).toEqual(['COMPLETED']);
      await sandbox.call(`PATCH /pipelines/${id}`, { status: 'ACTIVE' });
      expect(await turns(id, 8)).toHaveLength(2);
    },
  );

  test('a pipeline whose connector_poll is disabled or missing imports no files', async () => {
    put('a.glb');
    const disabled = { nodes: [{ type: 'connector_poll', enabled: false }] };
    const missing = { nodes: [{ type: 'render', enabled: true }] };
    for (const more of [disabled, missing]) {
      expect(await turns(await pipeline(more), 3)).toEqual([]);
    }
  });

  test('a pipeline has the connectors that the sandbox was given', async () => {
    expect((await sandbox.call('GET /pipelines/connectors')).body).toEqual({
      connectors: ['incoming'],
    });
  });
});

describe('failures', () => {
  test('a failed render is retried, up to maxRetries', async () => {
    await faults({ render: '*', times: 2, do: { failure: 'burnt' } });
    put('a.glb');
    const [job] = await turns(await pipeline({ maxRetries: 2 }), 14);
    expect(job).toMatchObject({ status: 'COMPLETED', retryCount: 2, lastError: 'burnt' });
  });

  test('a job without retries left is FAILED, and a success resets the count of failures', async () => {
    await faults({ render: '*', times: 2, do: { failure: 'burnt' } });
    put('a.glb');
    const id = await pipeline({ maxRetries: 1 });
    expect(await turns(id, 14)).toMatchObject([{ status: 'FAILED', retryCount: 1 }]);
    expect((await sandbox.call(`GET /pipelines/${id}`)).body).toMatchObject({
      status: 'ACTIVE',
      consecutiveFailures: 1,
    });
    put('b.glb');
    await turns(id, 8);
    expect((await sandbox.call(`GET /pipelines/${id}`)).body).toMatchObject({
      consecutiveFailures: 0,
    });
  });

  test('three failures in a row stop the pipeline until it is set to ACTIVE', async () => {
    for (const name of ['a.glb', 'b.glb', 'c.glb']) put(name, Buffer.from('no model'));
    const id = await pipeline();
    expect((await turns(id, 5)).map(({ status, retryCount }) => [status, retryCount])).toEqual(
      Array.from({ length: 3 }, () => ['FAILED', 0]),
    );
    const stopped = { status: 'ERROR', consecutiveFailures: 3 };
    expect((await sandbox.call(`GET /pipelines/${id}`)).body).toMatchObject(stopped);
    const { body } = await sandbox.call(`PATCH /pipelines/${id}`, { status: 'ACTIVE' });
    expect(body).toMatchObject({ status: 'ACTIVE', consecutiveFailures: 0 });
  });

  test.each([
    [{ templateId: 'none' }, {}, /template none does not exist/],
    [{}, { models: 0 }, /plan allows 0 models/],
    [{}, { projects: 0 }, /plan allows 0 projects/],
  ])(
    'a job that fails with %j and limits %j contains the reason',
    async (config, limits, reason) => {
      await sandbox.control('/limits', limits);
      put('a.glb');
      const [job] = await turns(await pipeline({ maxRetries: 1 }, config), 8);
      expect(job).toMatchObject({ status: 'FAILED', retryCount: 1 });
      expect(job?.lastError).toMatch(reason);
    },
  );

  test('an unknown connector stops the pipeline', async () => {
    const id = await pipeline({}, { connector: 'constructor' });
    await turns(id, 3);
    expect((await sandbox.call(`GET /pipelines/${id}`)).body).toMatchObject({ status: 'ERROR' });
  });
});

describe('a restart', () => {
  test('a restart continues the jobs, and imports no file twice', async () => {
    await sandbox.sandbox.close();
    const data = join(root, 'data');
    sandbox = start({ data });
    const id = await pipeline();
    put('a.glb');
    put('b.glb');
    await turns(id, 2, 1);
    const { now } = sandbox;
    await sandbox.sandbox.close();
    sandbox = start({ data });
    sandbox.now = now;
    const done = await turns(id, 9);
    expect(done.map(({ status }) => status)).toEqual(['COMPLETED', 'COMPLETED']);
    expect((await sandbox.call('GET /models')).body).toMatchObject({ total: 2 });
    expect((await sandbox.call('GET /renders')).body).toMatchObject({ total: 2 });
  });

  test('a kill during a copy does not cause a second model', async () => {
    await sandbox.sandbox.close();
    const data = join(root, 'data');
    sandbox = start({ data });
    const killed = sandbox;
    const id = await pipeline();
    put('a.glb');
    await turns(id, 1, 1);
    // This read starts the import. The process ends before the file is copied.
    expect(await jobs(id)).toHaveLength(1);
    const { now } = sandbox;
    sandbox = start({ data });
    sandbox.now = now;
    expect(await turns(id, 9)).toMatchObject([{ status: 'COMPLETED' }]);
    expect((await sandbox.call('GET /models')).body).toMatchObject({ total: 1 });
    await killed.sandbox.close();
  });
});
