import { expect } from 'vitest';
import { createProject, finishedRender, readyModel, startRender } from '../_core-resources.ts';
import { createMaterial } from '../_library-resources.ts';
import type { Platform } from '../_platform.ts';
import { variantIds } from '../_production-resources.ts';
import { bodyRows, done, invalid, ok, type Row, type Table } from '../_rows.ts';
import { PantoneMaterial } from '../_shapes-library.ts';
import { ColorwayBatch, ColorwayCreated, ColorwayRetried } from '../_shapes-pipelines.ts';

const create = '@createColorwayBatch';
const rule = { matchText: 'body', matchMode: 'exact', materialId: '{material}' };
const manual = { type: 'manual', modelIds: ['{model}'] };
const batch = { swapRules: [rule], modelScope: manual };

async function started(p: Platform, modelScope: object, swapRules: readonly object[] = [rule]) {
  return p.ok(create, ColorwayCreated, await p.resources.fill({ swapRules, modelScope }));
}

async function ended(p: Platform, batchId: string) {
  return p.until(
    () => p.ok(`@getColorwayBatch ${batchId}`, ColorwayBatch),
    ({ status }) => status !== 'in_progress',
  );
}

export const colorways: Table = {
  section: '4.8 colorway batches, 2.11, 3.4',
  rows: [
    ...bodyRows('swapRules is required and has at least one rule', create, invalid, [
      { modelScope: manual },
      { ...batch, swapRules: [] },
      { ...batch, swapRules: rule },
      { ...batch, swapRules: [7] },
    ]),
    ...bodyRows('matchText is a non-empty string', create, invalid, [
      { ...batch, swapRules: [{ ...rule, matchText: '' }] },
      { ...batch, swapRules: [{ ...rule, matchText: 7 }] },
      { ...batch, swapRules: [{ matchMode: 'exact', materialId: '{material}' }] },
    ]),
    ...bodyRows('matchMode is contains or exact', create, invalid, [
      { ...batch, swapRules: [{ ...rule, matchMode: 'regex' }] },
      { ...batch, swapRules: [{ ...rule, matchMode: 'EXACT' }] },
      { ...batch, swapRules: [{ matchText: 'body', materialId: '{material}' }] },
    ]),
    ...bodyRows('materialId is a required string', create, invalid, [
      { ...batch, swapRules: [{ matchText: 'body', matchMode: 'exact' }] },
      { ...batch, swapRules: [{ ...rule, materialId: 7 }] },
    ]),
    ...bodyRows(
      'modelScope is required and is either all, or tag or manual with ids',
      create,
      invalid,
      [
        { swapRules: [rule] },
        { ...batch, modelScope: {} },
        { ...batch, modelScope: { type: 'some' } },
        { ...batch, modelScope: 'all' },
        { ...batch, modelScope: { type: 'tag' } },
        { ...batch, modelScope: { type: 'manual' } },
        { ...batch, modelScope: { type: 'tag', modelIds: ['{model}'] } },
        { ...batch, modelScope: { type: 'manual', modelIds: 'one' } },
      ],
    ),
    ...bodyRows(
      'an unknown material or model is refused, with a code that is not documented',
      create,
      { status: [400, 404] },
      [
        { ...batch, swapRules: [{ ...rule, materialId: '{absent}' }] },
        { ...batch, modelScope: { type: 'manual', modelIds: ['{absent}'] } },
      ],
    ),
    {
      rule: 'a material that is not ready cannot be used in swaps',
      check: async (p) => {
        const { materialId } = await createMaterial(p);
        const answer = await p.send(create, {
          body: { ...batch, swapRules: [{ ...rule, materialId }] },
        });
        expect(answer.status).toBe(400);
      },
    },
    ...['@getColorwayBatch {absent}', '@retryColorwayJob {absent} {absent}'].map(
      (send): Row => ({ rule: 'an unknown batch is refused', send, is: { status: 404 } }),
    ),
    {
      rule: 'a job is queued, then swapping, then complete, and the model gets its new variant only when it is complete',
      check: async (p) => {
        const modelId = await readyModel(p, 'recoloured.glb');
        const before = await variantIds(p, modelId);
        const { batchId, totalJobs, warnings } = await started(p, {
          type: 'manual',
          modelIds: [modelId],
        });
        expect([totalJobs, warnings]).toEqual([1, []]);
        const order = ['queued', 'swapping', 'complete'];
        const seen: number[] = [];
        const last = await p.until(
          async () => {
            const read = await p.ok(`@getColorwayBatch ${batchId}`, ColorwayBatch);
            const [job] = read.jobs;
            expect(job).toMatchObject({
              batchId,
              baseModelId: modelId,
              retryCount: 0,
              errorMessage: null,
            });
            seen.push(order.indexOf(job?.status ?? ''));
            if (job?.status !== 'complete') {
              expect(read).toMatchObject({ status: 'in_progress', completedJobs: 0 });
              expect(await variantIds(p, modelId)).toEqual(before);
            }
            return read;
          },
          ({ status }) => status !== 'in_progress',
          0.5,
        );
        expect(last).toMatchObject({
          id: batchId,
          status: 'complete',
          totalJobs: 1,
          completedJobs: 1,
          failedJobs: 0,
          swapRules: [{ matchText: 'body', matchMode: 'exact' }],
          modelScope: { type: 'manual', modelIds: [modelId] },
        });
        expect(seen).toEqual(seen.toSorted((a, b) => a - b));
        expect(new Set(seen)).toContain(1);
        expect(await variantIds(p, modelId)).toHaveLength(before.length + 1);
      },
    },
    {
      rule: 'the new variant can be rendered',
      check: async (p) => {
        const modelId = await readyModel(p, 'rendered in colour.glb');
        const before = await variantIds(p, modelId);
        await ended(p, (await started(p, { type: 'manual', modelIds: [modelId] })).batchId);
        const added = (await variantIds(p, modelId)).filter((variant) => !before.includes(variant));
        const settings = { imageQuality: 0, renderShots: false, variantsToRender: added };
        const { jobId } = await startRender(p, await createProject(p, [modelId]), settings);
        const job = await finishedRender(p, jobId);
        expect([job.status, job.renders?.length]).toEqual(['COMPLETED', 1]);
      },
    },
    ...(
      [
        ['exact matches the whole slot name', { matchText: 'body', matchMode: 'exact' }, 1],
        ['exact does not match a part', { matchText: 'bod', matchMode: 'exact' }, 0],
        ['contains matches a part', { matchText: 'od', matchMode: 'contains' }, 1],
        ['contains does not match other text', { matchText: 'sole', matchMode: 'contains' }, 0],
      ] as const
    ).map(
      ([title, match, jobs]): Row => ({
        rule: `${title}, and a model without a matching slot gets a warning`,
        check: async (p) => {
          const modelId = await p.resources.id('model');
          const { totalJobs, warnings } = await started(p, manual, [{ ...rule, ...match }]);
          expect(totalJobs).toBe(jobs);
          expect(warnings.map((warning) => warning.modelId)).toEqual(jobs === 1 ? [] : [modelId]);
        },
      }),
    ),
    {
      rule: 'the scope `all` contains every model in the workspace',
      on: {},
      check: async (p) => {
        const made = [await readyModel(p, 'one.glb'), await readyModel(p, 'two.glb')];
        const { batchId, totalJobs } = await started(p, { type: 'all' });
        expect(totalJobs).toBe(2);
        const { jobs } = await ended(p, batchId);
        expect(jobs.map(({ baseModelId }) => baseModelId).toSorted()).toEqual(made.toSorted());
      },
    },
    {
      rule: 'the scope `tag` contains the models with the tag',
      on: {},
      check: async (p) => {
        const [tagged] = [await readyModel(p, 'tagged.glb'), await readyModel(p, 'plain.glb')];
        const tagId = await p.controls.tag('Autumn');
        await p.controls.tagModel(tagged, [tagId]);
        const { batchId } = await started(p, { type: 'tag', tagIds: [tagId] });
        const { jobs } = await ended(p, batchId);
        expect(jobs.map(({ baseModelId }) => baseModelId)).toEqual([tagged]);
      },
    },
    {
      rule: 'a failed job makes the batch a partial_failure, and a retry is counted and can complete both',
      on: {},
      check: async (p) => {
        const modelIds = [await readyModel(p, 'good.glb'), await readyModel(p, 'bad.glb')];
        await p.controls.faults([{ colorway: 'bad', times: 1, do: { failure: 'no ink' } }]);
        const { batchId } = await started(p, { type: 'manual', modelIds });
        const partial = await ended(p, batchId);
        expect(partial).toMatchObject({
          status: 'partial_failure',
          totalJobs: 2,
          completedJobs: 1,
          failedJobs: 1,
        });
        const failed = partial.jobs.find(({ status }) => status === 'failed');
        const good = partial.jobs.find(({ status }) => status === 'complete');
        expect(failed?.errorMessage).toMatch(/ink/);
        expect((await p.send(`@retryColorwayJob ${batchId} ${good?.id}`)).status).toBe(400);
        const retried = await p.ok(`@retryColorwayJob ${batchId} ${failed?.id}`, ColorwayRetried);
        expect(retried).toMatchObject({ jobId: failed?.id, batchId, retryCount: 1 });
        expect(await ended(p, batchId)).toMatchObject({
          status: 'complete',
          completedJobs: 2,
          failedJobs: 0,
        });
      },
    },
    {
      rule: 'a batch whose jobs all failed is failed',
      on: {},
      check: async (p) => {
        await p.controls.faults([{ colorway: '*', do: { failure: 'no ink' } }]);
        const { batchId } = await started(p, manual);
        expect(await ended(p, batchId)).toMatchObject({
          status: 'failed',
          completedJobs: 0,
          failedJobs: 1,
        });
      },
    },
    {
      rule: 'a deleted material is removed from the variants, and the batch stays readable',
      check: async (p) => {
        const { id: materialId } = await p.ok('POST /materials/pantone', PantoneMaterial, {
          name: 'Gone',
          pantoneCode: '186 C',
          hex: '#C8102E',
        });
        const modelId = await readyModel(p, 'loses a material.glb');
        const { batchId } = await started(p, { type: 'manual', modelIds: [modelId] }, [
          { ...rule, materialId },
        ]);
        await ended(p, batchId);
        await p.meets(`DELETE /materials/${materialId}`, {}, ok());
        const { text } = await p.meets(`GET /models/${modelId}/variants`, {}, ok());
        expect(text).not.toContain(materialId);
        await p.meets(`@getColorwayBatch ${batchId}`, {}, ok(ColorwayBatch));
      },
    },
    {
      rule: 'unknown fields are accepted',
      send: create,
      body: { ...batch, extra: 1 },
      is: done(ColorwayCreated),
    },
  ],
};
