import { expect } from 'vitest';
import { createModel } from '../_core-resources.ts';
import { invalid, ok, requestRows, type Table } from '../_rows.ts';
import { ModelPage } from '../_shapes.ts';

export const modelList: Table = {
  section: '4.2 GET /models',
  rows: [
    {
      rule: 'limit is 50 and offset 0 when omitted',
      send: 'GET /models',
      is: ok(ModelPage, { limit: 50, offset: 0 }),
    },
    {
      rule: 'a limit of 1 is accepted',
      send: 'GET /models?limit=1',
      is: ok(ModelPage, { limit: 1 }),
    },
    {
      rule: 'a limit of 100 is accepted',
      send: 'GET /models?limit=100',
      is: ok(ModelPage, { limit: 100 }),
    },
    ...requestRows('limit is an integer from 1 to 100', invalid, [
      'GET /models?limit=0',
      'GET /models?limit=101',
      'GET /models?limit=-1',
      'GET /models?limit=1.5',
      'GET /models?limit=ten',
    ]),
    ...requestRows('offset is an integer >= 0', invalid, [
      'GET /models?offset=-1',
      'GET /models?offset=0.5',
      'GET /models?offset=x',
    ]),
    {
      rule: 'an offset beyond the end returns an empty page',
      send: 'GET /models?offset=1000000',
      is: ok(ModelPage, { models: [], offset: 1_000_000 }),
    },
    {
      rule: 'models are listed newest first, in pages without overlaps or gaps',
      check: async (p) => {
        const made: string[] = [];
        for (const index of [1, 2, 3, 4, 5]) {
          await p.advance(1);
          made.unshift((await createModel(p, `page ${index}.glb`)).modelId);
        }
        const seen: string[] = [];
        for (const offset of [0, 2, 4]) {
          const answer = await p.ok(`GET /models?name=page%20&limit=2&offset=${offset}`, ModelPage);
          expect(answer).toMatchObject({ total: 5, limit: 2, offset });
          seen.push(...answer.models.map(({ modelId }) => modelId));
        }
        expect(seen).toEqual(made);
      },
    },
    {
      rule: 'name filters by a case-insensitive substring',
      check: async (p) => {
        const { modelId } = await createModel(p, 'Velvet-Armchair.glb');
        for (const name of ['velvet', 'VELVET', 'vet-arm', 'Armchair']) {
          const { models } = await p.ok(`GET /models?name=${name}`, ModelPage);
          expect(models.map((model) => model.modelId)).toContain(modelId);
        }
        const { models, total } = await p.ok('GET /models?name=no-such-name', ModelPage);
        expect([models, total]).toEqual([[], 0]);
      },
    },
    {
      rule: 'punctuation in name is literal',
      check: async (p) => {
        const { modelId } = await createModel(p, '100%_off (a+b).glb');
        for (const name of ['%', '_', '(a+b)', '100%_']) {
          const { models } = await p.ok(`GET /models?name=${encodeURIComponent(name)}`, ModelPage);
          expect(models.map((model) => model.modelId)).toContain(modelId);
        }
        const { models } = await p.ok('GET /models?name=.*off', ModelPage);
        expect(models).toEqual([]);
      },
    },
    {
      rule: 'status filters by model status',
      check: async (p) => {
        const ready = await p.resources.id('model');
        const failed = await p.resources.id('failedModel');
        const answer = await p.ok('GET /models?status=READY&limit=100', ModelPage);
        const ids = answer.models.map(({ modelId }) => modelId);
        expect(ids).toContain(ready);
        expect(ids).not.toContain(failed);
        expect(new Set(answer.models.map(({ status }) => status))).toEqual(new Set(['READY']));
        expect(answer.total).toBeGreaterThanOrEqual(answer.models.length);
        const broken = await p.ok('GET /models?status=FAILED&limit=100', ModelPage);
        expect(broken.models.map(({ modelId }) => modelId)).toContain(failed);
      },
    },
    {
      rule: 'status and name are combined',
      check: async (p) => {
        await p.resources.id('model');
        const answer = await p.ok('GET /models?status=READY&name=conformance%20broken', ModelPage);
        expect(answer).toMatchObject({ models: [], total: 0 });
      },
    },
    {
      rule: 'fileSize is the size in bytes',
      check: async (p) => {
        await p.resources.id('model');
        const { models } = await p.ok('GET /models?name=conformance%20one', ModelPage);
        expect(models[0]?.fileSize).toBe(p.target.glb.byteLength);
      },
    },
    {
      rule: 'properties that are not JSON are refused',
      send: 'GET /models?properties=nonsense',
      is: invalid,
    },
    {
      rule: 'properties that are not an array are refused',
      send: 'GET /models?properties=%7B%7D',
      is: invalid,
    },
    {
      rule: 'an empty array of properties is accepted',
      send: 'GET /models?properties=%5B%5D',
      is: ok(),
    },
  ],
};
