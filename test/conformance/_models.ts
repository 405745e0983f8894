// Section 4.2 (models), 2.2, 3.1 and the list bounds of section 8.
import { describe, expect, test } from 'vitest';
import { absentId, type Client, eventually, type Refusal } from './_client.ts';
import { createModel, type Patience, readyModel } from './_things.ts';

const many = (count: number) => Array.from({ length: count }, () => ({ fileType: 'glb' }));
const ids = (count: number) => Array.from({ length: count }, (_, index) => `id-${index}`);
const bad: Refusal = [400, 'VALIDATION_ERROR'];

const invalid: [route: string, body: unknown][] = [
  ['POST /models', { models: [] }],
  ['POST /models', { models: many(51) }],
  ['POST /models', { models: [{}] }],
  ['POST /models', { models: [{ fileType: 'GLB' }] }],
  ['POST /models', { models: [{ fileType: '.glb' }] }],
  ['POST /models', { models: [{ fileType: '' }] }],
  ['POST /models', { models: [{ fileType: 'abcdefghi' }] }],
  ['POST /models', { models: [{ fileType: 'glb', fileSize: 1.5 }] }],
  ['POST /models', { models: [{ fileType: 'glb', name: 7 }] }],
  ['POST /models/status', { modelIds: [] }],
  ['POST /models/status', { modelIds: ids(101) }],
  ['POST /models/status', {}],
  ['POST /models/import', {}],
  ['POST /models/import', { url: 'ftp://example.com/a.glb' }],
  ['POST /models/import', { url: 'not a url' }],
  ['POST /models/import', { url: 'https://example.com/a.glb', fileType: '.glb' }],
  ['GET /models?limit=0', undefined],
  ['GET /models?limit=101', undefined],
  ['GET /models?limit=ten', undefined],
  ['GET /models?limit=1.5', undefined],
  ['GET /models?offset=-1', undefined],
  ['GET /models?properties=nonsense', undefined],
];

const unsafe = [
  'http://127.0.0.1/a.glb',
  'http://localhost/a.glb',
  'http://2130706433/a.glb',
  'http://0x7f.1/a.glb',
  'http://10.1.2.3/a.glb',
  'http://192.168.0.1/a.glb',
  'http://169.254.169.254/latest/a.glb',
  'http://[::1]/a.glb',
  'http://[::ffff:127.0.0.1]/a.glb',
  'http://[fd00::1]/a.glb',
];

export function modelSuite(client: Client, glb: Uint8Array, patience: Patience): void {
  describe('4.2: models, bounds', () => {
    test.each(invalid)('%s %j is refused', (route, body) => client.refused(route, bad, { body }));

    test.each(unsafe)('import from %s is refused', (url) =>
      client.refused('POST /models/import', bad, { body: { url } }),
    );

    test('the largest create request answers in order, each with its own upload', async () => {
      const names = Array.from({ length: 50 }, (_, index) => `bulk-${index}.glb`);
      const { models, errors } = await client.ok('createModels', 'POST /models', {
        models: names.map((fileName) => ({ fileType: 'glb', fileName })),
      });
      for (const { modelId } of models) client.made(`/models/${modelId}`);
      expect(errors).toBeUndefined();
      expect(models.map(({ name }) => name)).toEqual(names.map((name) => name.replace('.glb', '')));
      expect(new Set(models.map(({ uploadUrl }) => uploadUrl)).size).toBe(50);
    });
  });

  describe('4.2: the life of a model', () => {
    test('confirm without a file: FILE_NOT_UPLOADED', async () => {
      const { modelId } = await createModel(client, 'never-uploaded.glb');
      const options = { body: { fileType: 'glb' } };
      await client.refused(`POST /models/${modelId}/confirm`, [400, 'FILE_NOT_UPLOADED'], options);
    });

    test('uploaded and confirmed, it becomes READY and can be read, renamed, downloaded', async () => {
      const modelId = await readyModel(client, glb, 'life of a model.glb', patience);
      const detail = await client.ok('getModel', `GET /models/${modelId}`);
      expect(detail).toMatchObject({ modelId, name: 'life of a model', fileType: 'glb' });
      expect(detail.glbFilePath).not.toBe('');
      const renamed = await client.ok('updateModel', `PATCH /models/${modelId}`, {
        name: 'renamed',
      });
      expect(renamed.name).toBe('renamed');
      await client.refused(`PATCH /models/${modelId}`, bad, { body: {} });
      await client.refused(`GET /models/${modelId}/download?format=stl`, bad);
      for (const query of ['', '?format=glb', '?format=source']) {
        const answer = await client.send(`GET /models/${modelId}/download${query}`);
        expect(answer.status).toBe(302);
        const file = await fetch(answer.headers.get('location') ?? '');
        expect(
          Buffer.from(await file.arrayBuffer())
            .subarray(0, 4)
            .toString(),
        ).toBe('glTF');
      }
    });

    test('a broken GLB ends FAILED, without an error since it was not imported', async () => {
      const { modelId, uploadUrl } = await createModel(client, 'broken.glb');
      await client.upload(uploadUrl, Buffer.from('this is no GLB at all'));
      await client.ok('confirmModel', `POST /models/${modelId}/confirm`, { fileType: 'glb' });
      const { models, allReady } = await eventually(
        () => client.ok('checkModelStatus', 'POST /models/status', { modelIds: [modelId] }),
        (answer) => answer.models[0]?.status === 'FAILED',
        patience.patienceMs,
      );
      expect(allReady).toBe(false);
      expect(models).toEqual([{ modelId, name: 'broken', status: 'FAILED', ready: false }]);
    });

    test('the status check lists what is missing', async () => {
      const { modelId } = await createModel(client, 'waiting.glb');
      const answer = await client.ok('checkModelStatus', 'POST /models/status', {
        modelIds: [modelId, absentId],
      });
      expect(answer).toMatchObject({ allReady: false, notFound: [absentId] });
      expect(answer.models).toMatchObject([{ modelId, ready: false }]);
    });

    test('the list is newest first, pages, and filters by name and status', async () => {
      const made: string[] = [];
      for (const name of ['List-A', 'List-b', 'list-c']) {
        made.push((await createModel(client, `${name} conformance.glb`)).modelId);
      }
      const page = await client.ok('listModels', 'GET /models?name=LIST&limit=2');
      expect(page).toMatchObject({ limit: 2, offset: 0 });
      expect(page.total).toBeGreaterThanOrEqual(3);
      expect(page.models.map(({ modelId }) => modelId)).toEqual([made[2], made[1]]);
      const rest = await client.ok('listModels', 'GET /models?name=list-A&limit=1&offset=0');
      expect(rest.models.map(({ modelId }) => modelId)).toEqual([made[0]]);
      const whole = await client.ok('listModels', 'GET /models');
      expect(whole).toMatchObject({ limit: 50, offset: 0 });
      const ready = await client.ok('listModels', 'GET /models?status=READY');
      expect(new Set(ready.models.map(({ status }) => status)).size).toBeLessThanOrEqual(1);
      const beyond = await client.ok('listModels', 'GET /models?offset=1000000');
      expect(beyond.models).toEqual([]);
    });

    test('deleted for good, and gone from its projects', async () => {
      const keep = await readyModel(client, glb, 'stays.glb', patience);
      const drop = await readyModel(client, glb, 'goes.glb', patience);
      const { projects } = await client.ok('createProjects', 'POST /projects', {
        modelIds: [keep, drop],
      });
      const projectId = projects[0]?.projectId ?? '';
      client.made(`/projects/${projectId}`);
      const deleted = await client.ok('deleteModel', `DELETE /models/${drop}`);
      expect(deleted).toEqual({ deleted: true, modelId: drop });
      await client.refused(`GET /models/${drop}`, [404, 'MODEL_NOT_FOUND']);
      await client.refused(`DELETE /models/${drop}`, [404, 'MODEL_NOT_FOUND']);
      const project = await client.ok('getProject', `GET /projects/${projectId}`);
      expect(project.modelIds).toEqual([keep]);
    });
  });
}
