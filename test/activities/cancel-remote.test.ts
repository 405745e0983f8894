// What a run that is cancelled cancels on the platform, and what it says of the rest.
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { cancelRemote } from '../../activities/cancel-remote.ts';
import { createDeps, type Deps } from '../../activities/deps.ts';
import type { CancelReport } from '../../src/plan/step-contract.ts';
import { tempFolder } from '../connectors/_temp-folder.ts';
import { noWorkflows, runContext } from '../engine/_context.ts';
import { Platform } from '../engine/_platform.ts';
import { manifestAsset, withManifest } from '../store/_store.ts';

let platform: Platform;
let deps: Deps;
beforeEach(async () => {
  platform = await Platform.start();
  deps = createDeps({
    client: platform.client,
    workflows: noWorkflows,
    secrets: [],
  });
});
afterEach(() => platform.stop());

const late = { error: { code: 'INVALID_STATUS', message: 'too late' } };

/** Batches as they are answered, by id, or jobs without one; some of the jobs have been dispatched. */
async function cancel(
  batches: Record<string, unknown>,
  dispatched: readonly string[] = [],
  kind: 'batches' | 'jobs' = 'batches',
) {
  platform.intercept = (name) => {
    const batch = /^GET \/renders\/batch\/(.+)$/.exec(name)?.[1];
    if (batch !== undefined) return { status: 200, body: batches[batch] };
    const alone = /^GET \/renders\/job-(.+)$/.exec(name)?.[1];
    if (alone !== undefined) return { status: 200, body: batches[alone] };
    const job = /^POST \/renders\/(.+)\/cancel$/.exec(name)?.[1] ?? '';
    if (dispatched.includes(job)) return { status: 400, body: late };
    return { status: 200, body: {} };
  };
  const context = runContext({ records: { type: 'local', path: await tempFolder() } });
  const keys = Object.keys(batches);
  const store = deps.store(context);
  await withManifest(
    store,
    keys.map((key) => manifestAsset(key)),
  );
  const batchOf = (key: string) => (kind === 'batches' ? key : '');
  const refs = keys.map((key, at) => ({
    at,
    refs: { batchId: batchOf(key), jobId: `job-${key}` },
  }));
  const pages = await store.pages(0).write('submitted', 'render', refs);
  const input = { context, shard: 0, assets: keys.map((_, at) => at), pages };
  const report = (await new MockActivityEnvironment().run(
    cancelRemote,
    input,
    deps,
  )) as CancelReport;
  const patches = await store.pages(0).read(report.pages);
  const left = Object.fromEntries(
    patches.flatMap((page) => page.patches).map(({ at, warnings }) => [keys[at], warnings?.join()]),
  );
  const cancelled = platform.requests.filter((name) => name.endsWith('/cancel'));
  return { left, cancelled };
}

const batch = (jobId: string, status: unknown) => ({ jobs: [{ jobId, status }] });

it('a job that is still queued, in whatever case', async () => {
  const { left, cancelled } = await cancel({ a: batch('job-a', 'Queued') });
  expect([left, cancelled]).toEqual([{}, ['POST /renders/job-a/cancel']]);
});

it('says of one that runs, in a state that nobody knows too, that it goes on', async () => {
  const { left, cancelled } = await cancel({
    a: batch('job-a', 'RENDERING'),
    b: batch('job-b', 'FROBNICATING'),
  });
  expect(cancelled).toEqual([]);
  expect(left).toEqual({
    a: expect.stringContaining('was RENDERING, too late to cancel') as string,
    b: expect.stringContaining('was FROBNICATING, too late to cancel') as string,
  });
});

it('tries where the state cannot be read, and one such batch holds up no other', async () => {
  const { left, cancelled } = await cancel(
    { a: { jobs: null }, b: batch('job-b', {}), c: batch('job-c', 'QUEUED') },
    ['job-b'],
  );
  expect(cancelled.sort()).toEqual(['a', 'b', 'c'].map((key) => `POST /renders/job-${key}/cancel`));
  expect(left).toEqual({ b: expect.stringContaining('just dispatched') as string });
});

it('jobs without a batch, each by itself, whether they can be read or not', async () => {
  const { left, cancelled } = await cancel(
    { a: { jobId: 'job-a', status: {} }, b: { jobId: 'job-b', status: 'QUEUED' } },
    ['job-b'],
    'jobs',
  );
  expect(cancelled.sort()).toEqual(['POST /renders/job-a/cancel', 'POST /renders/job-b/cancel']);
  expect(left).toEqual({ b: expect.stringContaining('just dispatched') as string });
});
