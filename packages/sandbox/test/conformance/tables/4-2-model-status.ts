import { expect } from 'vitest';
import { first, readyModel } from '../_core-resources.ts';
import { bodyRows, invalid, many, ok, type Row, type Table } from '../_rows.ts';
import { ModelChecks } from '../_shapes.ts';

export const modelStatus: Table = {
  section: '4.2 POST /models/status, 2.2',
  rows: [
    ...bodyRows('modelIds contains 1-100 ids', 'POST /models/status', invalid, [
      {},
      { modelIds: [] },
      { modelIds: many(101, (index) => `id-${index}`) },
      { modelIds: 'one' },
      { modelIds: [7] },
      { modelIds: [null] },
    ]),
    {
      rule: '100 ids are accepted',
      send: 'POST /models/status',
      body: { modelIds: many(100, (index) => `id-${index}`) },
      is: ok(ModelChecks, { models: [], allReady: false }),
    },
    {
      rule: 'a READY model is ready',
      send: 'POST /models/status',
      body: { modelIds: ['{model}'] },
      is: ok(ModelChecks, {
        models: [{ modelId: '{model}', status: 'READY', ready: true }],
        allReady: true,
        notFound: [],
      }),
    },
    {
      rule: 'a model without a file is not ready',
      send: 'POST /models/status',
      body: { modelIds: ['{emptyModel}'] },
      is: ok(ModelChecks, { models: [{ modelId: '{emptyModel}', ready: false }], allReady: false }),
    },
    {
      rule: 'allReady is false if one model is not ready',
      send: 'POST /models/status',
      body: { modelIds: ['{model}', '{emptyModel}'] },
      is: ok(ModelChecks, { allReady: false, notFound: [] }),
    },
    {
      rule: 'notFound lists unknown ids, and allReady is then false',
      send: 'POST /models/status',
      body: { modelIds: ['{model}', '{absent}'] },
      is: ok(ModelChecks, {
        models: [{ modelId: '{model}' }],
        allReady: false,
        notFound: ['{absent}'],
      }),
    },
    {
      rule: 'an uploaded model that is FAILED has no error, unlike an import',
      check: async (p) => {
        const modelId = await p.resources.id('failedModel');
        const { models } = await p.ok('POST /models/status', ModelChecks, { modelIds: [modelId] });
        expect(first(models)).toMatchObject({ status: 'FAILED', ready: false });
        expect(first(models)).not.toHaveProperty('error');
      },
    },
    {
      rule: 'an APPROVED model is ready',
      on: {},
      check: async (p) => {
        const modelId = await readyModel(p, 'approved.glb');
        await p.controls.modelStatus(modelId, 'APPROVED');
        const like = { models: [{ status: 'APPROVED', ready: true }], allReady: true };
        await p.meets(
          'POST /models/status',
          { body: { modelIds: [modelId] } },
          ok(ModelChecks, like),
        );
      },
    },
    ...['PENDING', 'UPLOADING', 'ANALYZING', 'FAILED', 'MODEL_REJECTED', 'MODEL_REQUIRED'].map(
      (status): Row => ({
        rule: `a model that is ${status} is not ready`,
        on: {},
        check: async (p) => {
          const modelId = await readyModel(p, 'not ready.glb');
          await p.controls.modelStatus(modelId, status);
          const like = { models: [{ status, ready: false }], allReady: false };
          await p.meets(
            'POST /models/status',
            { body: { modelIds: [modelId] } },
            ok(ModelChecks, like),
          );
        },
      }),
    ),
  ],
};
