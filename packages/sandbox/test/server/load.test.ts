// Reads of 1,000 models and 10,000 renders stay fast in a full workspace, even after a restart.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestSandbox, triangleGlb } from '../_test-sandbox.ts';

/** Far longer than a read, which takes about a millisecond, and far shorter than a scan of everything. */
const maxMs = 250;

let data: string;
let sandbox: TestSandbox;
const modelIds: string[] = [];
const projectIds: string[] = [];

function fifties<T>(all: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(all.length / 50) }, (_, index) =>
    all.slice(index * 50, index * 50 + 50),
  );
}

beforeAll(async () => {
  data = mkdtempSync(join(tmpdir(), 'renderline-load-'));
  sandbox = new TestSandbox({ data });
  const glb = triangleGlb();
  const items = Array.from({ length: 1000 }, (_, index) => ({
    fileType: 'glb',
    name: `m${index}`,
  }));
  for (const models of fifties(items)) {
    const { body } = await sandbox.call<{ models: { modelId: string; uploadUrl: string }[] }>(
      'POST /models',
      { models },
    );
    for (const { modelId, uploadUrl } of body.models) {
      await sandbox.put(uploadUrl, glb);
      modelIds.push(modelId);
    }
  }
  sandbox.advance(6);
  for (const some of fifties(modelIds)) {
    const { body } = await sandbox.call<{ projects: { projectId: string }[] }>('POST /projects', {
      modelIds: some,
      createPerModel: true,
    });
    projectIds.push(...body.projects.map(({ projectId }) => projectId));
  }
  for (let round = 0; round < 10; round += 1) {
    for (const some of fifties(projectIds)) {
      await sandbox.call('POST /renders', { projectIds: some, settings: { imageQuality: 0 } });
    }
  }
  await sandbox.sandbox.idle();
  sandbox.advance(9);
}, 120_000);
afterAll(async () => {
  await sandbox.sandbox.close();
  rmSync(data, { recursive: true, force: true });
});

/** The median of several reads, so that a pause of the machine does not matter. */
async function medianMs(read: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let count = 0; count < 9; count += 1) {
    const started = performance.now();
    await read();
    times.push(performance.now() - started);
  }
  return times.toSorted((a, b) => a - b)[4] ?? 0;
}

describe('reads in a full workspace', () => {
  test.each([
    'GET /models?limit=100',
    'GET /models?limit=100&offset=900',
    'GET /models?name=m99',
    'GET /models?status=READY',
    'GET /projects?limit=100',
    'GET /projects?status=COMPLETED',
    'GET /renders?limit=100&offset=9900',
    'GET /renders?isVideo=false',
    'GET /me/usage',
  ])('a read is fast: %s', async (route) => {
    expect((await sandbox.call(route)).status).toBe(200);
    expect(await medianMs(() => sandbox.call(route))).toBeLessThan(maxMs);
  });

  test('reading the status of a hundred models, and the renders of a project, is fast', async () => {
    const body = { modelIds: modelIds.slice(0, 100) };
    expect(await medianMs(() => sandbox.call('POST /models/status', body))).toBeLessThan(maxMs);
    const route = `GET /renders?projectId=${projectIds[500]}`;
    expect((await sandbox.call(route)).body).toMatchObject({ total: 10 });
    expect(await medianMs(() => sandbox.call(route))).toBeLessThan(maxMs);
  });

  test.each(['renders', 'projects', 'models'])('the page of %s is fast to load', async (view) => {
    expect(await medianMs(() => sandbox.request(`/?view=${view}`))).toBeLessThan(maxMs);
  });

  test('fifty reads of renders at the same time are fast', async () => {
    const started = performance.now();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => sandbox.call(`GET /renders?offset=${index * 200}`)),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(performance.now() - started).toBeLessThan(50 * maxMs);
  });
});

test('a restart restores all lists', async () => {
  const totals = async (from: TestSandbox) => {
    const lists = ['GET /models', 'GET /projects', 'GET /renders'];
    const answers = await Promise.all(lists.map((route) => from.call(route)));
    return answers.map(({ body }) => body);
  };
  const before = await totals(sandbox);
  expect(before).toMatchObject([{ total: 1000 }, { total: 1000 }, { total: 10_000 }]);
  const again = new TestSandbox({ data });
  again.now = sandbox.now;
  try {
    expect(await totals(again)).toEqual(before);
  } finally {
    await again.sandbox.close();
  }
});
