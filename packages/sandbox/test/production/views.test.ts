// Production views: capture, mode, staleness.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createProject, readyModel, uploadedModel } from '../_flows.ts';
import {
  captureSeconds,
  finishCaptures,
  projectModel,
  putLogo,
  readyDecal,
  variantIdsOf,
  viewsOf,
} from '../_production.ts';
import { TestSandbox, triangleGlb } from '../_test-sandbox.ts';

let sandbox: TestSandbox;
beforeEach(() => {
  sandbox = new TestSandbox();
});
afterEach(() => sandbox.sandbox.close());

interface Dispatch {
  jobId: string | null;
  dispatched: boolean;
  reason: string | null;
}

function capture(modelId: string, variantIds: readonly string[], more: object = {}) {
  return sandbox.call<Dispatch>(`POST /models/${modelId}/production-views`, {
    variantIds,
    ...more,
  });
}

test('a view is listed only once its capture has finished', async () => {
  const { modelId, variantIds } = await projectModel(sandbox);
  const [red = ''] = variantIds;
  const { status, body } = await capture(modelId, [red]);
  expect(status).toBe(202);
  expect(body).toEqual({ jobId: expect.any(String), dispatched: true, reason: null });
  await sandbox.sandbox.idle();
  sandbox.advance(89);
  expect(await viewsOf(sandbox, modelId)).toEqual([]);
  sandbox.advance(captureSeconds);
  expect(await viewsOf(sandbox, modelId)).toEqual([
    { variantId: red, capturedAt: expect.any(String), captureMode: 'flat', stale: false },
  ]);
});

test('a later capture replaces an earlier one', async () => {
  const { modelId, variantIds } = await projectModel(sandbox);
  await capture(modelId, variantIds);
  await finishCaptures(sandbox);
  const [before] = await viewsOf(sandbox, modelId);
  await capture(modelId, variantIds, { captureMode: 'lit' });
  expect(await viewsOf(sandbox, modelId)).toContainEqual(before);
  await finishCaptures(sandbox);
  const [after] = await viewsOf(sandbox, modelId);
  expect(after?.captureMode).toBe('lit');
  expect(Date.parse(after?.capturedAt ?? '')).toBeGreaterThan(Date.parse(before?.capturedAt ?? ''));
});

describe('a capture does not start', () => {
  test('a capture does not start without a project', async () => {
    const modelId = await readyModel(sandbox, 'shirt.glb', triangleGlb(['red']));
    const { status, body } = await capture(modelId, ['*']);
    expect(status).toBe(200);
    expect(body).toMatchObject({ jobId: null, dispatched: false });
    expect(body.reason).toContain('No project contains');
  });

  test('a capture does not start if the workspace has no usage left', async () => {
    const { modelId, variantIds } = await projectModel(sandbox);
    await sandbox.control('/limits', { captures: 2 });
    const { status, body } = await capture(modelId, variantIds);
    expect([status, body.dispatched]).toEqual([200, false]);
    expect(body.reason).toContain('does not allow these captures');
    expect((await capture(modelId, variantIds.slice(0, 2))).status).toBe(202);
    expect((await capture(modelId, variantIds.slice(2))).status).toBe(200);
  });
});

describe('views', () => {
  async function captured() {
    const { modelId, variantIds } = await projectModel(sandbox, ['red', 'blue']);
    const [red = ''] = variantIds;
    const decalId = await readyDecal(sandbox);
    await putLogo(sandbox, { modelId, variantId: red }, decalId);
    await capture(modelId, variantIds);
    await finishCaptures(sandbox);
    return { modelId, red, decalId };
  }
  const staleness = async (modelId: string) =>
    (await viewsOf(sandbox, modelId)).map(({ stale }) => stale);

  test('views of a variant are stale after a logo is put into a slot of that variant', async () => {
    const { modelId, red, decalId } = await captured();
    expect(await staleness(modelId)).toEqual([false, false]);
    await putLogo(sandbox, { modelId, variantId: red, slotId: 'slot-0' }, decalId);
    expect(await staleness(modelId)).toEqual([true, false]);
  });

  test('views are stale after a logo is removed', async () => {
    const { modelId, red } = await captured();
    await putLogo(sandbox, { modelId, variantId: red }, null);
    expect(await staleness(modelId)).toEqual([true, false]);
  });

  test('views are not stale after a change of decoration method or inks', async () => {
    const { modelId, red, decalId } = await captured();
    const slot = `/models/${modelId}/variants/${red}/decal-slots/slot-1`;
    await sandbox.call(`PUT ${slot}/decoration-method`, { method: 'Embroidery' });
    await sandbox.call(`PUT /decals/${decalId}/inks`, { spec: '186 C' });
    expect(await staleness(modelId)).toEqual([false, false]);
  });

  test('views are current again after another capture', async () => {
    const { modelId, red } = await captured();
    await putLogo(sandbox, { modelId, variantId: red }, null);
    await capture(modelId, [red]);
    await finishCaptures(sandbox);
    expect(await staleness(modelId)).toEqual([false, false]);
  });
});

test('ids are accepted with or without braces and dashes', async () => {
  const { modelId, variantIds } = await projectModel(sandbox, ['red']);
  const [red = ''] = variantIds;
  for (const form of [`{${red}}`, red.replaceAll('-', ''), red.toUpperCase()]) {
    expect((await capture(modelId, [form])).status, form).toBe(202);
  }
});

test('a model that is still being processed has no variants to capture', async () => {
  const modelId = await uploadedModel(sandbox, 'shirt.glb', triangleGlb(['red']));
  expect(await variantIdsOf(sandbox, modelId)).toEqual([]);
  expect((await capture(modelId, ['*'])).body.dispatched).toBe(false);
  sandbox.advance(6);
  await createProject(sandbox, [modelId]);
  expect((await capture(modelId, ['*'])).body.dispatched).toBe(true);
});
