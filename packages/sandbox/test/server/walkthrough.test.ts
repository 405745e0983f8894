// The whole flow once over real HTTP, as a script would use it.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunningSandbox } from '../../../../src/sandbox/interface.ts';
import { startSandbox } from '../../src/server/server.ts';
import { triangleGlb } from '../_test-sandbox.ts';

let now = Date.UTC(2026, 0, 2);
let sandbox: RunningSandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ seed: 3, pictureScale: 0, clock: () => now });
});
afterAll(() => sandbox.stop());

type Json = Record<string, never>;

async function call(route: string, body?: unknown): Promise<Json> {
  const [method = 'GET', path = ''] = route.split(' ');
  const response = await fetch(`${sandbox.url}${path}`, {
    method,
    headers: { 'x-api-key': sandbox.apiKey, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    redirect: 'manual',
  });
  expect(response.ok, `${route}: ${response.status}`).toBe(true);
  return (await response.json()) as Json;
}

test('a script can create, upload, confirm, poll, render and download over HTTP', async () => {
  const { models } = (await call('POST /models', {
    models: [{ fileType: 'glb', fileName: 'chair.glb' }],
  })) as unknown as { models: [{ modelId: string; uploadUrl: string }] };
  const [{ modelId, uploadUrl }] = models;
  const put = await fetch(uploadUrl, { method: 'PUT', body: triangleGlb() });
  expect([put.status, await put.text()]).toEqual([200, '']);
  expect(await call(`POST /models/${modelId}/confirm`, { fileType: 'glb' })).toMatchObject({
    modelId,
    name: 'chair',
    status: 'ANALYZING',
  });
  now += 6000;
  expect(await call('POST /models/status', { modelIds: [modelId] })).toEqual({
    models: [{ modelId, name: 'chair', status: 'READY', ready: true }],
    allReady: true,
    notFound: [],
  });
  const { projects } = (await call('POST /projects', { modelIds: [modelId] })) as unknown as {
    projects: [{ projectId: string }];
  };
  const { batchId, jobs } = (await call('POST /renders', {
    projectIds: [projects[0].projectId],
    settings: { imageQuality: 0 },
  })) as unknown as { batchId: string; jobs: [{ jobId: string; status: string }] };
  expect(jobs[0].status).toBe('QUEUED');
  now += 9000;
  await sandbox.idle();
  expect(await call(`GET /renders/batch/${batchId}`)).toMatchObject({ counts: { COMPLETED: 1 } });
  const job = (await call(`GET /renders/${jobs[0].jobId}`)) as unknown as {
    renders: { filePath: string; fileType: string }[];
  };
  expect(job.renders.length).toBeGreaterThan(0);
  const file = await fetch(job.renders[0]?.filePath ?? '');
  expect(file.status).toBe(200);
  expect(file.headers.get('content-type')).toBe('image/png');
  const bytes = Buffer.from(await file.arrayBuffer());
  expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([1280, 720]);
});
