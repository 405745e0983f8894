// Colorway batches on a manual clock: scopes, states, retries, deletions.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hasSharedData, sharedPath } from '../../../../test/glb/_shared-data.ts';
import { type Batch, bodyRule, createBatch, readBatch, variantNames } from '../_colorways.ts';
import { readyModel, uploadedModel } from '../_flows.ts';
import { createMaterial, readyMaterial } from '../_library.ts';
import { TestSandbox } from '../_test-sandbox.ts';

let sandbox: TestSandbox;
let materialId: string;
beforeEach(async () => {
  sandbox = new TestSandbox();
  materialId = await readyMaterial(sandbox, { name: 'Oak' });
});
afterEach(() => sandbox.sandbox.close());

const code = (answer: { body: unknown }) => (answer.body as { error: { code: string } }).error.code;
const manual = (...modelIds: string[]) => ({ type: 'manual', modelIds });
const failing = (times = 1) =>
  sandbox.control('/faults', [{ colorway: '*', times, do: { failure: 'no UV set' } }]);
const retry = (batch: Batch, jobId = batch.jobs[0]?.id) =>
  sandbox.call(`POST /colorway-batches/${batch.id}/jobs/${jobId}/retry`);

describe('creating a batch', () => {
  test('a batch creates a job for each model with a matching slot, and warnings for the others', async () => {
    const chair = await readyModel(sandbox, 'chair.glb');
    const plain = await readyModel(sandbox, 'couch.obj', Buffer.from('v 0 0 0\n'));
    const early = await uploadedModel(sandbox, 'early.glb');
    const { batchId, totalJobs, warnings } = await createBatch(sandbox, [bodyRule(materialId)]);
    expect(totalJobs).toBe(1);
    expect(warnings).toEqual([
      { modelId: plain, modelName: 'couch', message: expect.stringContaining('no slots') },
      { modelId: early, modelName: 'early', message: expect.stringContaining('ANALYZING') },
    ]);
    expect(await readBatch(sandbox, batchId)).toMatchObject({
      id: batchId,
      status: 'in_progress',
      totalJobs: 1,
      completedJobs: 0,
      failedJobs: 0,
      swapRules: [bodyRule(materialId)],
      modelScope: { type: 'all' },
      jobs: [{ batchId, baseModelId: chair, status: 'queued', retryCount: 0, errorMessage: null }],
    });
  });

  test('a warning lists the names of the slots that exist', async () => {
    await readyModel(sandbox);
    const rule = { matchText: 'sole', matchMode: 'exact', materialId };
    const { batchId, warnings } = await createBatch(sandbox, [rule]);
    expect(warnings[0]?.message).toContain('"body", "other"');
    expect(await readBatch(sandbox, batchId)).toMatchObject({ status: 'complete', totalJobs: 0 });
  });

  test('a batch contains each model that has any of the tags exactly once', async () => {
    const [a, b] = [await readyModel(sandbox, 'a.glb'), await readyModel(sandbox, 'b.glb')];
    await readyModel(sandbox, 'c.glb');
    const tag = async (name: string) =>
      (await sandbox.control<{ id: string }>('/tags', { name })).id;
    const [summer, sale] = [await tag('summer'), await tag('sale')];
    await sandbox.control(`/models/${a}/tags`, { tagIds: [summer, sale] });
    await sandbox.control(`/models/${b}/tags`, { tagIds: [sale] });
    const modelsOf = async (tagIds: string[]) => {
      const { batchId } = await createBatch(sandbox, [bodyRule(materialId)], {
        type: 'tag',
        tagIds,
      });
      return (await readBatch(sandbox, batchId)).jobs.map(({ baseModelId }) => baseModelId);
    };
    expect(await modelsOf([summer])).toEqual([a]);
    expect(await modelsOf([summer, sale])).toEqual([a, b]);
    expect(await modelsOf([await tag('unused')])).toEqual([]);
  });

  test('a batch with a manual scope contains each model once, in the given order', async () => {
    const [a, b] = [await readyModel(sandbox, 'a.glb'), await readyModel(sandbox, 'b.glb')];
    const { batchId } = await createBatch(sandbox, [bodyRule(materialId)], manual(b, a, b));
    const { jobs } = await readBatch(sandbox, batchId);
    expect(jobs.map(({ baseModelId }) => baseModelId)).toEqual([b, a]);
    expect(new Set(jobs.map(({ colorwayDefinitionId }) => colorwayDefinitionId)).size).toBe(1);
  });

  const all = { type: 'all' };
  const rule = { matchText: 'body', matchMode: 'contains', materialId: 'm' };
  test.each<[string, object]>([
    ['the scope `tag` but no tags', { swapRules: [rule], modelScope: { type: 'tag', tagIds: [] } }],
    [
      'the scope `manual` but no models',
      { swapRules: [rule], modelScope: { type: 'manual', modelIds: [] } },
    ],
  ])('a batch with %s is refused with VALIDATION_ERROR', async (_, body) => {
    const refused = await sandbox.call('POST /colorway-batches', body);
    expect([refused.status, code(refused)]).toEqual([400, 'VALIDATION_ERROR']);
  });

  test('unknown materials, tags and models are refused, and so is a material that is not ready', async () => {
    const { materialId: raw } = await createMaterial(sandbox, { name: 'Raw' });
    const refusal = async (id: string, modelScope: object = all) => {
      const answer = await sandbox.call('POST /colorway-batches', {
        swapRules: [bodyRule(id)],
        modelScope,
      });
      return [answer.status, code(answer)];
    };
    expect(await refusal('nope')).toEqual([404, 'NOT_FOUND']);
    expect(await refusal(raw)).toEqual([400, 'VALIDATION_ERROR']);
    expect(await refusal(materialId, { type: 'tag', tagIds: ['nope'] })).toEqual([
      404,
      'NOT_FOUND',
    ]);
    expect(await refusal(materialId, manual('nope'))).toEqual([404, 'MODEL_NOT_FOUND']);
  });

  test('a repeat with the same idempotency key returns the same batch', async () => {
    await readyModel(sandbox);
    const body = { swapRules: [bodyRule(materialId)], modelScope: all };
    const send = () => sandbox.call('POST /colorway-batches', body, { 'idempotency-key': 'k' });
    expect((await send()).text).toBe((await send()).text);
  });
});

describe('states of a batch', () => {
  test('a variant contains the material of each swapped slot', async () => {
    const modelId = await readyModel(sandbox);
    const brass = await readyMaterial(sandbox, { name: 'Brass' });
    const other = { matchText: 'other', matchMode: 'exact', materialId: brass };
    await createBatch(sandbox, [bodyRule(materialId), other]);
    sandbox.advance(6);
    const { body } = await sandbox.call<{ variants: object[] }>(`GET /models/${modelId}/variants`);
    expect(body.variants[1]).toMatchObject({
      name: 'Oak + Brass',
      source: 'colorway',
      isDefault: false,
      materials: [
        { slotId: 'slot-0', materialId },
        { slotId: 'slot-1', materialId: brass },
      ],
    });
  });

  test('a second batch with the same rules adds a second variant', async () => {
    const modelId = await readyModel(sandbox);
    for (let night = 0; night < 2; night += 1) {
      await createBatch(sandbox, [bodyRule(materialId)]);
      sandbox.advance(6);
    }
    expect(await variantNames(sandbox, modelId)).toEqual(['Default', 'Oak', 'Oak']);
  });

  test('a failed job shows its message only after it has ended, and the batch is then a partial failure', async () => {
    await readyModel(sandbox, 'a.glb');
    await readyModel(sandbox, 'b.glb');
    await failing();
    const { batchId } = await createBatch(sandbox, [bodyRule(materialId)]);
    expect((await readBatch(sandbox, batchId)).jobs[0]?.errorMessage).toBeNull();
    sandbox.advance(6);
    expect(await readBatch(sandbox, batchId)).toMatchObject({
      status: 'partial_failure',
      completedJobs: 1,
      failedJobs: 1,
      jobs: [{ status: 'failed', errorMessage: 'no UV set' }, { status: 'complete' }],
    });
  });

  test('a request for an unknown batch is refused with NOT_FOUND', async () => {
    const refused = await sandbox.call('GET /colorway-batches/nope');
    expect([refused.status, code(refused)]).toEqual([404, 'NOT_FOUND']);
  });
});

describe('retrying a job', () => {
  test('a retry queues a failed job again and is counted, and its success adds the variant', async () => {
    const modelId = await readyModel(sandbox);
    await failing(2);
    const { batchId } = await createBatch(sandbox, [bodyRule(materialId)]);
    for (const retryCount of [1, 2]) {
      sandbox.advance(6);
      const batch = await readBatch(sandbox, batchId);
      expect(batch).toMatchObject({ status: 'failed', jobs: [{ status: 'failed' }] });
      const jobId = batch.jobs[0]?.id;
      expect(await retry(batch)).toMatchObject({
        status: 200,
        body: { jobId, batchId, status: 'queued', retryCount },
      });
      expect(await variantNames(sandbox, modelId)).toEqual(['Default']);
    }
    sandbox.advance(6);
    expect(await readBatch(sandbox, batchId)).toMatchObject({
      status: 'complete',
      failedJobs: 0,
      jobs: [{ status: 'complete', retryCount: 2, errorMessage: null }],
    });
    expect(await variantNames(sandbox, modelId)).toEqual(['Default', 'Oak']);
  });

  test.each([
    ['queued', 0],
    ['swapping', 1.9],
    ['complete', 6],
  ])('a %s job cannot be retried', async (status, seconds) => {
    await readyModel(sandbox);
    const { batchId } = await createBatch(sandbox, [bodyRule(materialId)]);
    sandbox.advance(seconds);
    const batch = await readBatch(sandbox, batchId);
    expect(batch.jobs[0]?.status).toBe(status);
    const refused = await retry(batch);
    expect([refused.status, code(refused)]).toEqual([400, 'INVALID_STATUS']);
  });

  test('a job is found only in its own batch', async () => {
    await readyModel(sandbox);
    const [one, two] = [
      await createBatch(sandbox, [bodyRule(materialId)]),
      await createBatch(sandbox, [bodyRule(materialId)]),
    ];
    const batch = await readBatch(sandbox, one.batchId);
    const other = await readBatch(sandbox, two.batchId);
    expect(code(await retry(batch, other.jobs[0]?.id))).toBe('JOB_NOT_FOUND');
    expect(code(await retry({ ...batch, id: 'nope' }))).toBe('NOT_FOUND');
  });
});

describe('deletions (4.10)', () => {
  test('a deleted material is removed from its variants, and running jobs fail', async () => {
    const modelId = await readyModel(sandbox);
    await createBatch(sandbox, [bodyRule(materialId)]);
    sandbox.advance(6);
    const running = await createBatch(sandbox, [bodyRule(materialId)]);
    await sandbox.call(`DELETE /materials/${materialId}`);
    sandbox.advance(6);
    const { body } = await sandbox.call<{ variants: object[] }>(`GET /models/${modelId}/variants`);
    expect(body.variants).toMatchObject([{ name: 'Default' }, { name: 'Oak', materials: [] }]);
    const batch = await readBatch(sandbox, running.batchId);
    expect(batch.jobs).toMatchObject([
      { status: 'failed', errorMessage: expect.stringContaining('deleted') },
    ]);
    expect(code(await retry(batch))).toBe('NOT_FOUND');
  });

  test('jobs of a deleted model stay in their batches, as completed or, if they were running, as failed', async () => {
    const modelId = await readyModel(sandbox);
    const done = await createBatch(sandbox, [bodyRule(materialId)]);
    sandbox.advance(6);
    const running = await createBatch(sandbox, [bodyRule(materialId)]);
    await sandbox.call(`DELETE /models/${modelId}`);
    sandbox.advance(6);
    expect((await readBatch(sandbox, done.batchId)).status).toBe('complete');
    const batch = await readBatch(sandbox, running.batchId);
    expect(batch).toMatchObject({ status: 'failed', jobs: [{ baseModelId: modelId }] });
    expect(code(await retry(batch))).toBe('MODEL_NOT_FOUND');
  });
});

test('batches, jobs and variants survive a restart, and reset deletes them', async () => {
  const data = mkdtempSync(join(tmpdir(), 'colorways-'));
  const first = new TestSandbox({ data });
  const material = await readyMaterial(first, { name: 'Oak' });
  const modelId = await readyModel(first);
  const { batchId } = await createBatch(first, [bodyRule(material)]);
  const before = await readBatch(first, batchId);
  await first.sandbox.close();
  const second = new TestSandbox({ data });
  second.now = first.now;
  try {
    expect(await readBatch(second, batchId)).toEqual(before);
    second.advance(6);
    expect(await variantNames(second, modelId)).toEqual(['Default', 'Oak']);
    await second.control('/reset', {});
    expect((await second.call(`GET /colorway-batches/${batchId}`)).status).toBe(404);
  } finally {
    await second.sandbox.close();
    rmSync(data, { recursive: true });
  }
});

test('a batch of all 1,000 models is created quickly', { timeout: 60_000 }, async () => {
  for (let page = 0; page < 20; page += 1) {
    const names = Array.from({ length: 50 }, (_, index) => `m-${page}-${index}.glb`);
    await Promise.all(names.map((name) => uploadedModel(sandbox, name)));
  }
  sandbox.advance(6);
  const started = performance.now();
  const { batchId, totalJobs } = await createBatch(sandbox, [bodyRule(materialId)]);
  const createMs = performance.now() - started;
  expect(totalJobs).toBe(1000);
  sandbox.advance(6);
  expect(await readBatch(sandbox, batchId)).toMatchObject({ completedJobs: 1000 });
  // The limit is generous, since other tests share the machine.
  expect(createMs).toBeLessThan(10_000);
});

test.skipIf(!hasSharedData)(
  'three slots with the same name are all swapped, with a warning',
  async () => {
    const shoe = readFileSync(sharedPath('models/MaterialsVariantsShoe.glb'));
    const modelId = await readyModel(sandbox, 'shoe.glb', shoe);
    const rule = { matchText: 'phong1SG', matchMode: 'exact', materialId };
    const { totalJobs, warnings } = await createBatch(sandbox, [rule]);
    expect(totalJobs).toBe(1);
    expect(warnings).toMatchObject([{ modelId, message: expect.stringContaining('phong1SG') }]);
    sandbox.advance(6);
    const { body } = await sandbox.call<{ variants: { materials: object[] }[] }>(
      `GET /models/${modelId}/variants`,
    );
    expect(body.variants.at(-1)?.materials).toHaveLength(3);
  },
);
