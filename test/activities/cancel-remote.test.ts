// What a cancelled run cancels on the platform, and what it reports about the other jobs.
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createDeps, type Deps } from '../../activities/deps.ts';
import { cancelRemote } from '../../activities/shard/cancel-remote.ts';
import type { PlatformIds } from '../../src/plan/platform-ids.ts';
import type { CancelReport } from '../../src/plan/shard/step-contract.ts';
import { tempFolder } from '../connectors/_temp-folder.ts';
import { noWorkflows, runContext } from '../engine/_context.ts';
import { ScriptedPlatform } from '../engine/_platform.ts';
import { manifestAsset, withManifest } from '../store/_store.ts';

let platform: ScriptedPlatform;
let deps: Deps;
beforeEach(async () => {
  platform = await ScriptedPlatform.start();
  deps = createDeps({
    client: platform.client,
    workflows: noWorkflows,
    secrets: [],
  });
});
afterEach(() => platform.stop());

const late = { error: { code: 'INVALID_STATUS', message: 'too late' } };

/** Batches by id as the platform returns them. Some jobs of their projects have been dispatched. */
function cancel(batches: Record<string, unknown>, dispatched: readonly string[] = []) {
  const platformIds = Object.keys(batches).map((key) => ({ batchId: key, jobId: `job-${key}` }));
  return cancelRefs(platformIds, (name) => {
    const batch = /^GET \/renders\/batch\/(.+)$/.exec(name)?.[1];
    if (batch !== undefined) return { status: 200, body: batches[batch] };
    const job = /^POST \/renders\/(.+)\/cancel$/.exec(name)?.[1] ?? '';
    if (dispatched.includes(job)) return { status: 400, body: late };
    return { status: 200, body: {} };
  });
}

/** Assets with these ids, on a platform with these responses. Their keys are a, b and c. */
async function cancelRefs(all: readonly PlatformIds[], intercept: ScriptedPlatform['intercept']) {
  platform.intercept = intercept;
  const context = runContext({ records: { type: 'local', path: await tempFolder() } });
  const keys = all.map((_, at) => 'abcdef'.charAt(at));
  const store = deps.storeOf(context);
  await withManifest(
    store,
    keys.map((key) => manifestAsset(key)),
  );
  const known = all.map((platformIds, at) => ({ assetIndex: at, platformIds }));
  const pages = await store.pages(0).write('submitted', 'render', known);
  const input = { context, shard: 0, assets: keys.map((_, at) => at), pages };
  const report = (await new MockActivityEnvironment({}, { logger: new DefaultLogger('ERROR') }).run(
    cancelRemote,
    input,
    deps,
  )) as CancelReport;
  const updates = await store.pages(0).read(report.pages);
  const left = Object.fromEntries(
    updates
      .flatMap((page) => page.updates)
      .map(({ assetIndex: at, warnings }) => [keys[at], warnings?.join()]),
  );
  const cancelled = platform.requests.filter((name) => name.endsWith('/cancel'));
  return { left, cancelled, requests: report.requests };
}

const batch = (jobId: string, status: unknown) => ({ jobs: [{ jobId, status }] });

it('a queued job is cancelled, whatever the letter case of its status', async () => {
  const { left, cancelled } = await cancel({ a: batch('job-a', 'Queued') });
  expect([left, cancelled]).toEqual([{}, ['POST /renders/job-a/cancel']]);
});

it('a job that is no longer queued is reported with its status, even an unknown one', async () => {
  const { left, cancelled } = await cancel({
    a: batch('job-a', 'RENDERING'),
    b: batch('job-b', 'FROBNICATING'),
  });
  expect(cancelled).toEqual([]);
  expect(left).toEqual({
    a: expect.stringContaining('cannot be cancelled (RENDERING)') as string,
    b: expect.stringContaining('cannot be cancelled (FROBNICATING)') as string,
  });
});

it('jobs with an unreadable status are cancelled, and an unreadable batch does not affect others', async () => {
  const { left, cancelled } = await cancel(
    { a: { jobs: null }, b: batch('job-b', {}), c: batch('job-c', 'QUEUED') },
    ['job-b'],
  );
  expect(cancelled.sort()).toEqual(['a', 'b', 'c'].map((key) => `POST /renders/job-${key}/cancel`));
  expect(left).toEqual({ b: expect.stringContaining('just dispatched') as string });
});

it('a job without a batch is cancelled if its status is unreadable', async () => {
  const { left, cancelled } = await cancelRefs([{ batchId: '', jobId: 'one' }], () => ({
    status: 200,
    body: { jobId: 'one', status: {} },
  }));
  expect([left, cancelled]).toEqual([{}, ['POST /renders/one/cancel']]);
});

it('each batch and each job without a batch is read once, and assets without a job are not read', async () => {
  const platformIds = [
    { batchId: 'x', jobId: 'one' },
    { batchId: 'x', jobId: 'two' },
    { batchId: '', jobId: 'three' },
    {},
  ];
  const { left, cancelled, requests } = await cancelRefs(platformIds, (name) => {
    if (name === 'GET /renders/batch/x') {
      const jobs = [...batch('one', 'QUEUED').jobs, ...batch('two', 'RENDERING').jobs];
      return { status: 200, body: { jobs } };
    }
    if (name === 'GET /renders/three') {
      return { status: 200, body: { jobId: 'three', status: 'RENDER_QUEUED' } };
    }
    return { status: 200, body: {} };
  });
  expect(cancelled).toEqual(['POST /renders/one/cancel', 'POST /renders/three/cancel']);
  expect(left).toEqual({
    b: expect.stringContaining('job two cannot be cancelled (RENDERING)') as string,
  });
  expect(requests).toEqual({ getRenderBatch: 1, getRenderJob: 1, cancelRenderJob: 2 });
});

it.each([
  ['a job that was cancelled before', 200, batch('job-a', 'CANCELLED')],
  ['a missing job', 404, { error: { code: 'NOT_FOUND', message: 'gone' } }],
])('%s is not reported', async (_what, status, body) => {
  const platformIds = [{ batchId: 'a', jobId: 'job-a' }];
  const { left, cancelled } = await cancelRefs(platformIds, () => ({ status, body }));
  expect([left, cancelled]).toEqual([{}, []]);
});

it.each([
  ['batch', 404, { error: { code: 'NOT_FOUND', message: 'not yet' } }],
  ['job in its batch', 200, { jobs: [] }],
])(
  'a job is cancelled if the %s was just created and is not visible yet',
  async (_what, status, body) => {
    const made = { batchId: 'a', jobId: 'job-a', lastCreatedAtMs: Date.now() - 1_000 };
    const two = [made, { ...made, jobId: 'job-b' }];
    const { left, cancelled } = await cancelRefs(two, (name) => {
      if (name.startsWith('GET')) return { status, body };
      return name.includes('job-b') ? { status: 404, body: late } : { status: 200, body: {} };
    });
    expect(cancelled).toEqual(['POST /renders/job-a/cancel', 'POST /renders/job-b/cancel']);
    expect(left).toEqual({ b: expect.stringContaining('the next run uses this render') as string });
  },
);

it.each([
  ['is gone when it is cancelled is not reported', 404, 'NOT_FOUND', 600_000, undefined],
  [
    'has been dispatched when it is cancelled is reported',
    400,
    'INVALID_STATUS',
    600_000,
    'just dispatched',
  ],
  [
    'is visible only on another server is reported',
    404,
    'NOT_FOUND',
    1_000,
    'created a moment ago',
  ],
])('a job that %s', async (_what, status, code, ageMs, told) => {
  const made = { batchId: 'a', jobId: 'job-a', lastCreatedAtMs: Date.now() - ageMs };
  const { left } = await cancelRefs([made], (name) =>
    name.startsWith('GET')
      ? { status: 200, body: batch('job-a', 'QUEUED') }
      : { status, body: { error: { code, message: 'no' } } },
  );
  expect(left).toEqual(told ? { a: expect.stringContaining(told) as string } : {});
});

it('the cancellation fails if the platform refuses the API key, so that the shard reports all jobs', async () => {
  const platformIds = [{ batchId: 'a', jobId: 'job-a' }];
  const refused = cancelRefs(platformIds, (name) =>
    name.startsWith('GET')
      ? { status: 200, body: batch('job-a', 'QUEUED') }
      : { status: 403, body: { error: { code: 'FORBIDDEN', message: 'no' } } },
  );
  await expect(refused).rejects.toThrow();
});
