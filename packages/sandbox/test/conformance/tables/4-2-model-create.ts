import { expect } from 'vitest';
import { first } from '../_core-resources.ts';
import { bodyRows, created, invalid, many, ok, refused, type Table } from '../_rows.ts';
import { ModelDetail, ModelsCreated } from '../_shapes.ts';

const glb = { fileType: 'glb' };
export const modelCreate: Table = {
  section: '4.2 POST /models, 2.2 creation item',
  rows: [
    {
      rule: 'one model is created',
      send: 'POST /models',
      body: { models: [glb] },
      is: created(ModelsCreated),
    },
    ...bodyRows('models contains 1-50 items', 'POST /models', invalid, [
      {},
      { models: [] },
      { models: many(51, () => glb) },
      { models: glb },
      { models: null },
      { models: 'glb' },
    ]),
    ...bodyRows('fileType is required and matches ^[a-z0-9]{1,8}$', 'POST /models', invalid, [
      { models: [{}] },
      { models: [{ fileType: '' }] },
      { models: [{ fileType: 'GLB' }] },
      { models: [{ fileType: '.glb' }] },
      { models: [{ fileType: 'abcdefghi' }] },
      { models: [{ fileType: 'g b' }] },
      { models: [{ fileType: 'glb\n' }] },
      { models: [{ fileType: 7 }] },
      { models: [{ fileType: null }] },
      { models: [glb, { fileType: 'g-b' }] },
    ]),
    ...bodyRows('any fileType of this form is accepted', 'POST /models', created(ModelsCreated), [
      { models: [{ fileType: 'a' }] },
      { models: [{ fileType: '3dm' }] },
      { models: [{ fileType: '12345678' }] },
      { models: [{ fileType: 'zzzzzzzz' }] },
    ]),
    ...bodyRows(
      'name, fileName and category are strings, and fileSize is an integer',
      'POST /models',
      invalid,
      [
        { models: [{ ...glb, name: 7 }] },
        { models: [{ ...glb, fileName: 7 }] },
        { models: [{ ...glb, category: 7 }] },
        { models: [{ ...glb, fileSize: 1.5 }] },
        { models: [{ ...glb, fileSize: '12' }] },
      ],
    ),
    {
      rule: 'the given name is used, or else a name is derived from fileName',
      send: 'POST /models',
      body: {
        models: [
          { ...glb, name: 'Given', fileName: 'file.glb' },
          { ...glb, fileName: 'Side Table.glb' },
        ],
      },
      is: created(ModelsCreated, { models: [{ name: 'Given' }, { name: 'Side Table' }] }),
    },
    {
      rule: 'category is stored',
      check: async (p) => {
        const body = { models: [{ ...glb, category: 'Chairs' }] };
        const { modelId } = first((await p.ok('POST /models', ModelsCreated, body)).models);
        await p.meets(
          `GET /models/${modelId}`,
          {},
          ok(ModelDetail, { category: 'Chairs', fileType: 'glb' }),
        );
      },
    },
    {
      rule: '50 models are created in order, each with its own id, upload URL and upload key',
      check: async (p) => {
        const names = many(50, (index) => `bulk-${index}`);
        const body = { models: names.map((name) => ({ ...glb, name })) };
        const { models, errors } = await p.ok('POST /models', ModelsCreated, body);
        expect(models.map(({ name }) => name)).toEqual(names);
        for (const field of ['modelId', 'uploadUrl', 'uploadKey'] as const) {
          expect(new Set(models.map((model) => model[field])).size).toBe(50);
        }
        expect(errors).toBeUndefined();
      },
    },
    {
      rule: 'unknown fields are accepted',
      send: 'POST /models',
      body: { models: [{ ...glb, extra: 1 }], extra: 1 },
      is: created(ModelsCreated),
    },
    {
      rule: 'a partial success lists the errors',
      on: {},
      check: async (p) => {
        await p.controls.faults([{ model: 'broken', do: { refuse: 'no room for it' } }]);
        const body = {
          models: [
            { ...glb, name: 'fine' },
            { ...glb, name: 'broken' },
          ],
        };
        const { models, errors } = await p.ok('POST /models', ModelsCreated, body);
        expect(models.map(({ name }) => name)).toEqual(['fine']);
        expect(errors).toHaveLength(1);
      },
    },
    {
      rule: 'a model over the plan limit is refused with PLAN_LIMIT_REACHED',
      on: {},
      check: async (p) => {
        await p.controls.limits({ models: 1 });
        await p.meets('POST /models', { body: { models: [glb] } }, created(ModelsCreated));
        await p.refused('POST /models', refused(403, 'PLAN_LIMIT_REACHED'), {
          body: { models: [glb] },
        });
      },
    },
    {
      rule: 'a file over the storage limit is refused with STORAGE_LIMIT_REACHED',
      on: {},
      check: async (p) => {
        await p.controls.limits({ storageBytes: 10 });
        const body = { models: [{ ...glb, fileSize: 1000 }] };
        await p.refused('POST /models', refused(403, 'STORAGE_LIMIT_REACHED'), { body });
      },
    },
  ],
};
