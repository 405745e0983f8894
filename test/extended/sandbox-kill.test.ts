// Repeated kill -9 of the sandbox while clients work: everything acknowledged is kept, and nothing is half done.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { triangleGlb } from '../../packages/sandbox/test/_test-sandbox.ts';
import { modelStatuses } from '../../src/api/operations/models.ts';
import { renderJobStatuses } from '../../src/api/operations/renders.ts';
import { fastSandbox } from '../system/_sandbox.ts';
import { type Compiled, compileForNode } from './_compiled.ts';

const rounds = 5;
const clients = 8;
const apiKey = 'svc_kill_test';

let data: string;
let compiled: Compiled;
let child: ChildProcess | undefined;
beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'renderline-kill-'));
  compiled = await compileForNode('src/cli/main.ts');
});
afterAll(async () => {
  child?.kill('SIGKILL');
  await rm(data, { recursive: true, force: true });
  await rm(compiled.folder, { recursive: true, force: true });
});

/** Starts the sandbox on the same folder. @returns the URL of its API */
async function start(): Promise<string> {
  const flags = ['--port', '0', '--data', data, '--api-key', apiKey, '--rate-limit', '0'];
  const cheap = [...fastSandbox, '--json'];
  const own = spawn(
    process.execPath,
    [compiled.path('src/cli/main.ts'), 'sandbox', ...flags, ...cheap],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  child = own;
  let text = '';
  for await (const line of createInterface({ input: own.stdout })) {
    text += line;
    if (line === '}' || (line.startsWith('{') && line.endsWith('}'))) break;
  }
  return (JSON.parse(text) as { baseUrl: string }).baseUrl;
}

async function kill(): Promise<void> {
  const own = child;
  if (!own || own.exitCode !== null) throw new Error('the sandbox ended by itself');
  const gone = once(own, 'exit');
  own.kill('SIGKILL');
  await gone;
}

interface Answer {
  status: number;
  text: string;
}

async function call(url: string, route: string, body?: unknown, key?: string): Promise<Answer> {
  const [method = 'GET', path = ''] = route.split(' ');
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      'x-api-key': apiKey,
      'content-type': 'application/json',
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, text: await response.text() };
}

/** What the sandbox has acknowledged. */
interface Acknowledged {
  readonly models: Set<string>;
  readonly uploaded: Set<string>;
  /** Project id to its model. */
  readonly projects: Map<string, string>;
  readonly renderJobs: Set<string>;
  /** Creations by idempotency key, to be repeated: the request body and the response. */
  readonly keyed: Map<string, { body: unknown; answer: string }>;
  /** Keys of creations that were interrupted: whether they succeeded is unknown. */
  readonly open: Map<string, unknown>;
}

let serial = 0;

/** Works as one client until the sandbox is killed. */
async function work(url: string, done: Acknowledged): Promise<void> {
  try {
    for (;;) {
      serial += 1;
      const key = `create-${serial}`;
      const body = { models: [{ fileType: 'glb', name: key }] };
      done.open.set(key, body);
      const created = await call(url, 'POST /models', body, key);
      done.open.delete(key);
      done.keyed.set(key, { body, answer: created.text });
      const [model] = (
        JSON.parse(created.text) as { models: { modelId: string; uploadUrl: string }[] }
      ).models;
      if (!model) throw new Error(created.text);
      done.models.add(model.modelId);
      const put = await fetch(model.uploadUrl, {
        method: 'PUT',
        body: Uint8Array.from(triangleGlb()),
      });
      if (put.status === 200) done.uploaded.add(model.modelId);
      await call(url, `POST /models/${model.modelId}/confirm`, { fileType: 'glb' });
      while (!(await call(url, `GET /models/${model.modelId}`)).text.includes('"READY"'))
        await sleep(20);
      const project = await call(url, 'POST /projects', { modelIds: [model.modelId] });
      const [{ projectId }] = (JSON.parse(project.text) as { projects: [{ projectId: string }] })
        .projects;
      done.projects.set(projectId, model.modelId);
      const settings = { imageQuality: 0 };
      const started = await call(url, 'POST /renders', { projectIds: [projectId], settings });
      for (const { jobId } of (JSON.parse(started.text) as { jobs: { jobId: string }[] }).jobs) {
        done.renderJobs.add(jobId);
      }
    }
  } catch (error) {
    // undici's message for a lost connection; any other error is a finding.
    if (!(error instanceof TypeError && error.message === 'fetch failed') && !isCut(error))
      throw error;
  }
}

function isCut(error: unknown): boolean {
  return error instanceof TypeError && error.message === 'terminated';
}

/** All items of a list, up to the total that the list itself reports. */
async function listed<T>(url: string, path: string, field: string): Promise<T[]> {
  const all: T[] = [];
  for (;;) {
    const { text } = await call(url, `GET ${path}?limit=100&offset=${all.length}`);
    const page = JSON.parse(text) as Record<string, unknown> & { total: number };
    all.push(...(page[field] as T[]));
    if (all.length >= page.total) return all;
  }
}

async function check(url: string, done: Acknowledged): Promise<void> {
  const models = await listed<{ modelId: string; name: string; status: string }>(
    url,
    '/models',
    'models',
  );
  const known = new Map(models.map((model) => [model.modelId, model]));
  for (const { status } of models) expect(modelStatuses).toContain(status);
  expect(new Set(models.map(({ name }) => name)).size, 'a model was made twice').toBe(
    models.length,
  );
  for (const id of done.models) expect(known.has(id), `model ${id} was acknowledged`).toBe(true);
  for (const id of done.uploaded) expect(['ANALYZING', 'READY']).toContain(known.get(id)?.status);
  const projects = await listed<{ projectId: string; modelIds: string[] }>(
    url,
    '/projects',
    'projects',
  );
  const modelsOf = new Map(projects.map(({ projectId, modelIds }) => [projectId, modelIds]));
  for (const [id, modelId] of done.projects) expect(modelsOf.get(id)).toEqual([modelId]);
  for (const [, [modelId]] of modelsOf) expect(known.has(modelId ?? '')).toBe(true);
  for (const jobId of done.renderJobs) {
    const { status, text } = await call(url, `GET /renders/${jobId}`);
    expect([status, text]).toEqual([200, expect.any(String)]);
    expect(renderJobStatuses).toContain((JSON.parse(text) as { status: string }).status);
  }
}

/** Repeats requests under their keys: a key returns its first response, or creates if there was none. */
async function repeat(url: string, done: Acknowledged): Promise<void> {
  for (const [key, { body, answer }] of [...done.keyed].slice(-10)) {
    expect((await call(url, 'POST /models', body, key)).text).toBe(answer);
  }
  for (const [key, body] of done.open) {
    const { status } = await call(url, 'POST /models', body, key);
    expect(status).toBe(201);
  }
  done.open.clear();
}

test('a sandbox that is killed while it is working restarts with everything that it had acknowledged', async () => {
  const done: Acknowledged = {
    models: new Set(),
    uploaded: new Set(),
    projects: new Map(),
    renderJobs: new Set(),
    keyed: new Map(),
    open: new Map(),
  };
  for (let round = 0; round < rounds; round += 1) {
    const url = await start();
    await repeat(url, done);
    await check(url, done);
    const working = Array.from({ length: clients }, () => work(url, done));
    await sleep(150 + Math.random() * 600);
    if (round === rounds - 1)
      await expect.poll(() => done.renderJobs.size, { timeout: 60_000 }).toBeGreaterThan(0);
    await kill();
    await Promise.all(working);
  }
  const url = await start();
  await repeat(url, done);
  await check(url, done);
  expect(done.renderJobs.size).toBeGreaterThan(0);
  for (const jobId of done.renderJobs) {
    const read = async () =>
      JSON.parse((await call(url, `GET /renders/${jobId}`)).text) as {
        status: string;
        renders: { filePath: string }[];
      };
    await expect.poll(async () => (await read()).status, { timeout: 10_000 }).toBe('COMPLETED');
    const { renders } = await read();
    expect(renders).toHaveLength(1);
    expect((await fetch(renders[0]?.filePath ?? '')).status).toBe(200);
  }
  await kill();
  // Every line except the last is complete.
  const lines = (await readFile(join(data, 'state.jsonl'), 'utf8')).split('\n').slice(0, -1);
  expect(lines).not.toEqual([]);
  for (const line of lines) expect(() => void JSON.parse(line)).not.toThrow();
});
