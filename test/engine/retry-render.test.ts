// A failed render that a later run retries, with a test clock.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Asset } from '../../src/plan/types.ts';
import { planOf, withNodes } from '../compile/_compile.ts';
import { runContext } from './_context.ts';
import { SandboxRun } from './_sandbox-run.ts';

let run: SandboxRun;
beforeEach(async () => {
  run = await SandboxRun.start();
});
afterEach(() => run.stop());

const plan = planOf(
  withNodes(
    '{ id: ready, type: model_ready, parentIds: [take] }',
    '{ id: shots, type: render, parentIds: [ready], retry: { max: 0 }, config: { settings: { renderShots: false } } }',
  ),
);

/** An asset as an earlier run has left it, with a failed render. */
async function withFailedRender(): Promise<Asset> {
  await run.control('faults', [{ render: '**', do: { failure: 'no light' } }]);
  const [failed] = await run.runPlan(plan, [await run.asset('a')]);
  expect(failed?.failure).toMatchObject({ code: 'RENDER_FAILED' });
  await run.control('faults', []);
  run.requests();
  if (!failed) throw new Error('the asset did not settle');
  return { key: failed.key, source: failed.source, platformIds: failed.platformIds };
}

/** Runs the plan as a rerun, which has its own intents and keys. */
const inRerun = (asset: Asset) => {
  const records = { type: 'local', path: run.folder };
  return run.runPlan(plan, [asset], { shard: 1, run: runContext({ epoch: 1, records }) });
};

/** A retry by a person on the platform. */
async function retriedByHand({ platformIds }: Asset): Promise<void> {
  await run.client.retryRenderJob({ params: { jobId: platformIds.jobId ?? '' } });
}

describe('a render that failed in an earlier run', () => {
  it('the render is retried without a new job or project', async () => {
    const [ended] = await run.runPlan(plan, [await withFailedRender()]);
    expect(ended?.outcome).toBe('complete');
    const sent = run.requests();
    expect(sent).toMatchObject({ retryRenderJob: 1 });
    expect(sent).not.toHaveProperty('createRenders');
    expect(sent).not.toHaveProperty('createProjects');
  });

  it('the result of the render is used if a person has retried it successfully', async () => {
    const asset = await withFailedRender();
    await retriedByHand(asset);
    run.pass(60);
    await run.sandbox.idle();
    const [ended] = await run.runPlan(plan, [asset]);
    expect(ended).toMatchObject({
      outcome: 'complete',
      platformIds: {
        jobId: asset.platformIds.jobId,
        failedJob: false,
        outputs: [{ fileType: 'PNG' }],
      },
    });
    // The refusal of the retry shows that the job is done.
    expect(run.requests()).toEqual({ retryRenderJob: 1, getRenderJob: 1 });
  });

  it('the render is awaited if a person has retried it, even if its batch is unknown', async () => {
    const asset = await withFailedRender();
    await retriedByHand(asset);
    const [ended] = await run.runPlan(plan, [asset]);
    expect(ended).toMatchObject({
      outcome: 'complete',
      platformIds: { jobId: asset.platformIds.jobId },
    });
    const sent = run.requests();
    expect(sent).toMatchObject({ retryRenderJob: 1 });
    expect(sent['getRenderJob']).toBeLessThan(5);
    expect(sent).not.toHaveProperty('createRenders');
    expect(sent).not.toHaveProperty('getRenderBatch');
  });

  it("the render is repeated by the next run if a person's retry was cancelled", async () => {
    const asset = await withFailedRender();
    await retriedByHand(asset);
    await run.client.cancelRenderJob({ params: { jobId: asset.platformIds.jobId ?? '' } });
    const [told] = await run.runPlan(plan, [asset]);
    expect(told).toMatchObject({ outcome: 'failed', failure: { code: 'RENDER_CANCELLED' } });
    expect(told?.platformIds).not.toHaveProperty('jobId');
    expect(told?.platformIds).not.toHaveProperty('failedJob');
    // Its project may have outputs of the failed job, which the list does not distinguish from later ones.
    expect(told?.platformIds).not.toHaveProperty('ownProject');
    const [ended] = await inRerun({ ...asset, platformIds: told?.platformIds ?? {} });
    expect(ended?.outcome).toBe('complete');
    expect(run.requests()).toMatchObject({ retryRenderJob: 1, createRenders: 1 });
  });

  it('a render that the platform refuses to retry fails with the reason, and the next run starts it anew', async () => {
    const asset = await withFailedRender();
    const refuse = { status: 400, code: 'INVALID_STATUS', message: 'tried too often' };
    await run.control('faults', [{ match: 'retryRenderJob', times: 1, do: refuse }]);
    const [told] = await run.runPlan(plan, [asset]);
    expect(told).toMatchObject({
      outcome: 'failed',
      failure: {
        code: 'RENDER_FAILED',
        message: 'no light; the platform refused to retry the render: tried too often',
      },
    });
    const [ended] = await inRerun({ ...asset, platformIds: told?.platformIds ?? {} });
    expect(ended?.outcome).toBe('complete');
    expect(run.requests()).toMatchObject({ retryRenderJob: 1, createRenders: 1 });
  });

  it('the render is polled whatever error code its retry returns, because the API reference documents none', async () => {
    const asset = await withFailedRender();
    await retriedByHand(asset);
    run.pass(60);
    await run.sandbox.idle();
    const refuse = { status: 400, code: 'VALIDATION_ERROR', message: 'only failed jobs' };
    await run.control('faults', [{ match: 'retryRenderJob', do: refuse }]);
    const [ended] = await run.runPlan(plan, [asset]);
    expect(ended).toMatchObject({
      outcome: 'complete',
      platformIds: { jobId: asset.platformIds.jobId },
    });
    expect(run.requests()).toEqual({ retryRenderJob: 1, getRenderJob: 1 });
  });
});
