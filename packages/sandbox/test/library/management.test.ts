// Library management: changes, deletions and their effects.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  createDecal,
  createProp,
  plainImage,
  readyDecal,
  readyMaterial,
  readyProp,
} from '../_library.ts';
import { TestSandbox } from '../_test-sandbox.ts';

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

  test('a change returns the same body as GET', async () => {
    const id = await make();
    const { status, body } = await change(id, { name: ' New name ' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ [idField]: id, name: 'New name' });
    expect(await read(id)).toEqual(body);
  });

  test('the first collection is found again by its name, and an empty change is accepted', async () => {
    const id = await make();
    const before = await read(id);
    await change(id, { collection: 'Second' });
    const { body } = await change(id, { collection: 'First' });
    expect(body).toEqual(before);
    expect(await read(id)).toEqual(before);
    expect(await change(id, {})).toMatchObject({ status: 200, body: before });
  });

  test.each([
    [{ name: '' }, 400, 'VALIDATION_ERROR'],
    [{ name: null }, 400, 'VALIDATION_ERROR'],
    [{ collection: ' ' }, 400, 'VALIDATION_ERROR'],
    [{ collectionId: 'nowhere' }, 404, 'NOT_FOUND'],
  ])('the change %j is refused and changes nothing', async (body, status, code) => {
    const id = await make();
    const before = await read(id);
    expect(await change(id, body)).toMatchObject({ status, body: { error: { code } } });
    expect(await read(id)).toEqual(before);
  });
});

describe('a deletion', () => {
  test('a deletion removes the files and the upload links', async () => {
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
});

test('catalog props are created by a control and are READY immediately', async () => {
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
