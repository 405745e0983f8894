// Library management: changes, deletions and what they take with them (4.10).
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createProject, readyModel } from './_flows.ts';
import {
  createDecal,
  createProp,
  plainImage,
  readyDecal,
  readyMaterial,
  readyProp,
} from './_library.ts';
import { TestSandbox } from './_start.ts';

let sandbox: TestSandbox;
beforeEach(() => {
  sandbox = new TestSandbox();
});
afterEach(() => sandbox.sandbox.close());

interface Kind {
  readonly path: string;
  readonly idField: string;
  readonly make: () => Promise<string>;
}

const kinds: readonly Kind[] = [
  {
    path: 'props',
    idField: 'propId',
    make: () => readyProp(sandbox, { fileName: 'a.glb', collection: 'First' }),
  },
  {
    path: 'decals',
    idField: 'decalId',
    make: () => readyDecal(sandbox, { fileName: 'a.png', collection: 'First' }),
  },
  {
    path: 'materials',
    idField: 'materialId',
    make: () => readyMaterial(sandbox, { name: 'a', collection: 'First' }),
  },
];

describe.each(kinds)('$path', ({ path, idField, make }) => {
  const read = async (id: string) => (await sandbox.call(`GET /${path}/${id}`)).body;
  const change = (id: string, body: object) => sandbox.call(`PATCH /${path}/${id}`, body);

  test('a change answers in the shape of the GET', async () => {
    const id = await make();
    const { status, body } = await change(id, { name: ' New name ' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ [idField]: id, name: 'New name' });
    expect(await read(id)).toEqual(body);
  });

  test('collections: by name, by id, out of all; the name wins', async () => {
    const id = await make();
    const first = (await read(id))['collectionId'];
    const second = (await change(id, { collection: 'Second' })).body['collectionId'];
    expect(second).toEqual(expect.any(String));
    expect(second).not.toBe(first);
    expect((await change(id, { collectionId: first })).body).toMatchObject({ collectionId: first });
    expect((await change(id, { name: 'b' })).body).toMatchObject({ collectionId: first });
    const both = await change(id, { collection: 'Second', collectionId: 'nowhere' });
    expect(both.body).toMatchObject({ collectionId: second });
    expect((await change(id, { collectionId: null })).body).toMatchObject({ collectionId: null });
    await change(id, { collection: 'First' });
    expect(await read(id)).toMatchObject({ collectionId: first });
    const out = await change(id, { collection: null, collectionId: second });
    expect(out.body).toMatchObject({ collectionId: null });
    expect((await change(id, {})).status).toBe(200);
  });

  test.each([
    [{ name: '' }, 400, 'VALIDATION_ERROR'],
    [{ name: null }, 400, 'VALIDATION_ERROR'],
    [{ collection: ' ' }, 400, 'VALIDATION_ERROR'],
    [{ collectionId: 7 }, 400, 'VALIDATION_ERROR'],
    [{ collectionId: 'nowhere' }, 404, 'NOT_FOUND'],
  ])('%j is refused and changes nothing', async (body, status, code) => {
    const id = await make();
    const before = await read(id);
    expect(await change(id, body)).toMatchObject({ status, body: { error: { code } } });
    expect(await read(id)).toEqual(before);
  });

  test('a deletion is for good', async () => {
    const id = await make();
    expect(await sandbox.call(`DELETE /${path}/${id}`)).toMatchObject({
      status: 200,
      body: { deleted: true, [idField]: id },
    });
    for (const route of [`GET /${path}/${id}`, `DELETE /${path}/${id}`]) {
      expect(await sandbox.call(route)).toMatchObject({
        status: 404,
        body: { error: { code: 'NOT_FOUND' } },
      });
    }
    expect((await change(id, { name: 'x' })).status).toBe(404);
    expect((await sandbox.call(`GET /${path}`)).body).toMatchObject({ total: 0 });
  });
});

describe('what goes with a deletion', () => {
  test('the files, and the way to upload them', async () => {
    const prop = await createProp(sandbox);
    const decal = await createDecal(sandbox);
    await sandbox.call(`DELETE /props/${prop.propId}`);
    await sandbox.call(`DELETE /decals/${decal.decalId}`);
    expect((await sandbox.put(prop.uploadUrl, Buffer.from('x'))).status).toBe(404);
    const image = await plainImage();
    expect((await sandbox.put(decal.uploadUrl, image, decal.contentType)).status).toBe(404);
    const ready = await readyProp(sandbox);
    const { body } = await sandbox.call<{ thumbnailUrl: string }>(`GET /props/${ready}`);
    expect((await sandbox.request(body.thumbnailUrl)).status).toBe(200);
    await sandbox.call(`DELETE /props/${ready}`);
    expect((await sandbox.request(body.thumbnailUrl)).status).toBe(404);
  });

  test('a model leaves the projects that use it, and nothing else changes there', async () => {
    const [one, two] = [await readyModel(sandbox), await readyModel(sandbox, 'table.glb')];
    const projectId = await createProject(sandbox, [one, two]);
    expect((await sandbox.call(`DELETE /models/${one}`)).body).toEqual({
      deleted: true,
      modelId: one,
    });
    const { body } = await sandbox.call(`GET /projects/${projectId}`);
    expect(body).toMatchObject({ projectId, modelIds: [two] });
  });
});

test('props of the catalog come from outside and are ready at once', async () => {
  const made = await sandbox.control<{ propId: string }>('/props', {
    name: 'Monstera',
    collection: 'Plants',
  });
  const { body } = await sandbox.call(`GET /props/${made.propId}`);
  expect(body).toMatchObject({
    name: 'Monstera',
    source: 'catalog',
    status: 'READY',
    fileSize: null,
    collectionId: expect.any(String),
  });
  expect((await sandbox.request(String(body['thumbnailUrl']))).status).toBe(200);
  expect((await sandbox.call(`POST /props/${made.propId}/confirm`)).body).toMatchObject({
    status: 'READY',
  });
});
