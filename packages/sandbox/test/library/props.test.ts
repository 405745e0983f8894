// Props: names, states, lists.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createProp, readyProp } from '../_library.ts';
import { startMs, TestSandbox, triangleGlb } from '../_test-sandbox.ts';

let sandbox: TestSandbox;
beforeEach(() => {
  sandbox = new TestSandbox();
});
afterEach(() => sandbox.sandbox.close());

const confirm = (propId: string) => sandbox.call(`POST /props/${propId}/confirm`);
const propStatus = async (propId: string) =>
  (await sandbox.call<{ status: string }>(`GET /props/${propId}`)).body.status;

describe('creation', () => {
  test.each([
    [{ fileName: 'oak_side-table_v2.glb' }, 'oak side table v2', 'glb'],
    [{ fileName: 'sets/kitchen\\Wine%20Glass.FBX' }, 'Wine Glass', 'fbx'],
    [{ fileName: 'vase.final.glb', name: 'Vase' }, 'Vase', 'glb'],
    [{ fileName: 'vase.final.usdz' }, 'vase final', 'usdz'],
    [{ fileName: 'vase', fileType: 'obj' }, 'vase', 'obj'],
    [{ fileName: 'vase.glb', fileType: 'obj' }, 'vase', 'obj'],
    [{ fileType: 'glb' }, 'Untitled prop', 'glb'],
    [{ fileName: '___.glb', name: ' ' }, 'Untitled prop', 'glb'],
  ])('the request %j creates a prop named %s', async (item, name, fileType) => {
    const made = await createProp(sandbox, item);
    expect(made).toMatchObject({ name, uploadKey: `props/${made.propId}/source.${fileType}` });
    const { body } = await sandbox.call(`GET /props/${made.propId}`);
    expect(body).toMatchObject({ name, fileType });
  });

  test.each([
    [{}, 'Untitled prop'],
    [{ name: 'Vase' }, 'Vase'],
    [{ fileName: 'vase' }, 'vase'],
    [{ fileName: 'vase.something' }, 'vase'],
  ])('the request %j has no file type, and the prop becomes READY', async (item, name) => {
    const made = await createProp(sandbox, item);
    expect(made).toMatchObject({ name, uploadKey: `props/${made.propId}/source` });
    await sandbox.put(made.uploadUrl, triangleGlb());
    await confirm(made.propId);
    sandbox.advance(6);
    const { body } = await sandbox.call(`GET /props/${made.propId}`);
    expect(body).toMatchObject({ name, fileType: null, status: 'READY' });
    expect((await sandbox.request(String(body['thumbnailUrl']))).status).toBe(200);
  });

  test.each([
    ['a type with a dot', [{ fileType: '.glb' }]],
    ['a negative size', [{ fileType: 'glb', fileSize: -1 }]],
    ['a blank collection', [{ fileType: 'glb', collection: ' ' }]],
  ])('a prop with %s is refused', async (_title, props) => {
    const { status, body } = await sandbox.call('POST /props', { props });
    expect([status, body]).toMatchObject([400, { error: { code: 'VALIDATION_ERROR' } }]);
  });

  test('collections are created on first use and shared by props and materials', async () => {
    const one = await createProp(sandbox, { fileName: 'a.glb', collection: 'Spring' });
    const two = await createProp(sandbox, { fileName: 'b.glb', collection: ' Spring ' });
    const other = await createProp(sandbox, { fileName: 'c.glb', collection: 'spring' });
    const of = async (propId: string) => (await sandbox.call(`GET /props/${propId}`)).body;
    const { collectionId } = await of(one.propId);
    expect(collectionId).toEqual(expect.any(String));
    expect(await of(two.propId)).toMatchObject({ collectionId });
    expect((await of(other.propId))['collectionId']).not.toBe(collectionId);
    const material = await sandbox.call('POST /materials', {
      name: 'Oak',
      textures: [{ channel: 'diffuse', fileType: 'png' }],
      collection: 'Spring',
    });
    expect(material.body).toMatchObject({ collectionId });
  });
});

describe('states', () => {
  test('a prop is first PENDING, then UPLOADING, ANALYZING and READY', async () => {
    const { propId, uploadUrl } = await createProp(sandbox);
    expect(await propStatus(propId)).toBe('PENDING');
    await sandbox.put(uploadUrl, triangleGlb());
    expect(await propStatus(propId)).toBe('UPLOADING');
    sandbox.advance(60);
    expect(await propStatus(propId)).toBe('UPLOADING');
    expect(await confirm(propId)).toMatchObject({
      status: 200,
      body: { propId, status: 'ANALYZING' },
    });
    sandbox.advance(1.9);
    expect(await propStatus(propId)).toBe('ANALYZING');
    sandbox.advance(4.1);
    expect(await propStatus(propId)).toBe('READY');
    expect((await confirm(propId)).body).toEqual({ propId, status: 'READY' });
  });

  test('a broken file makes the prop FAILED; a valid file uploaded to the same link makes it READY', async () => {
    const { propId, uploadUrl } = await createProp(sandbox);
    await sandbox.put(uploadUrl, triangleGlb().subarray(0, 200));
    await confirm(propId);
    sandbox.advance(6);
    expect(await propStatus(propId)).toBe('FAILED');
    await sandbox.put(uploadUrl, triangleGlb());
    expect(await propStatus(propId)).toBe('UPLOADING');
    await confirm(propId);
    sandbox.advance(6);
    expect(await propStatus(propId)).toBe('READY');
  });

  test('a confirmation without a file is refused', async () => {
    const { propId } = await createProp(sandbox);
    expect(await confirm(propId)).toMatchObject({
      status: 400,
      body: { error: { code: 'FILE_NOT_UPLOADED' } },
    });
  });

  test('a file over the limit is refused when it is confirmed', async () => {
    await sandbox.control('/limits', { modelFileBytes: 100 });
    const { propId, uploadUrl } = await createProp(sandbox);
    expect((await sandbox.put(uploadUrl, triangleGlb())).status).toBe(200);
    expect(await confirm(propId)).toMatchObject({
      status: 413,
      body: { error: { code: 'MODEL_FILE_TOO_LARGE' } },
    });
    expect(await propStatus(propId)).toBe('PENDING');
  });

  test('the storage limit counts declared sizes and stored files', async () => {
    await sandbox.control('/limits', { storageBytes: 1000 });
    const declared = await sandbox.call('POST /props', {
      props: [
        { fileType: 'glb', fileSize: 600 },
        { fileType: 'glb', fileSize: 500 },
      ],
    });
    expect(declared).toMatchObject({
      status: 403,
      body: { error: { code: 'STORAGE_LIMIT_REACHED' } },
    });
    const { propId, uploadUrl } = await createProp(sandbox);
    await sandbox.put(uploadUrl, triangleGlb([], 'x'.repeat(2000)));
    expect(await confirm(propId)).toMatchObject({
      status: 403,
      body: { error: { code: 'STORAGE_LIMIT_REACHED' } },
    });
    const model = await sandbox.call('POST /models', { models: [{ fileType: 'glb' }] });
    expect(model).toMatchObject({
      status: 403,
      body: { error: { code: 'STORAGE_LIMIT_REACHED' } },
    });
  });

  test('a status request with an empty id is refused', async () => {
    expect((await sandbox.call('POST /props/status', { propIds: [''] })).status).toBe(400);
  });
});

describe('reading', () => {
  test('a prop is returned with all of its fields', async () => {
    const glb = triangleGlb();
    const propId = await readyProp(sandbox, { fileName: 'vase.glb' }, glb);
    const { body } = await sandbox.call(`GET /props/${propId}`);
    expect(body).toEqual({
      propId,
      name: 'vase',
      status: 'READY',
      source: 'uploaded',
      fileType: 'glb',
      fileSize: glb.length,
      collectionId: null,
      thumbnailUrl: expect.stringMatching(/^http.*\.png$/),
      createdAt: new Date(startMs).toISOString(),
    });
    const picture = await sandbox.request(String(body['thumbnailUrl']));
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png']);
  });

  test('a new prop has no size and no thumbnail', async () => {
    const { propId } = await createProp(sandbox);
    const { body } = await sandbox.call(`GET /props/${propId}`);
    expect(body).toMatchObject({ fileSize: null, thumbnailUrl: null });
  });

  test('lists are newest first, contain 50 items by default, and are empty beyond the end', async () => {
    for (const fileName of ['a.glb', 'b.glb', 'c.glb']) await createProp(sandbox, { fileName });
    const list = async (query: string) =>
      (await sandbox.call<{ props: { name: string }[] }>(`GET /props${query}`)).body;
    const names = async (query: string) => (await list(query)).props.map(({ name }) => name);
    expect(await names('')).toEqual(['c', 'b', 'a']);
    expect(await names('?limit=1&offset=1')).toEqual(['b']);
    expect(await names('?status=nonsense')).toEqual([]);
    expect(await list('?limit=1&offset=9')).toEqual({ props: [], total: 3, limit: 1, offset: 9 });
    for (const route of ['GET /props', 'GET /decals']) {
      expect((await sandbox.call(route)).body).toMatchObject({ limit: 50, offset: 0 });
    }
    for (const query of ['limit=0', 'limit=101', 'limit=x', 'offset=-1']) {
      expect((await sandbox.call(`GET /props?${query}`)).status).toBe(400);
    }
  });
});
