// Models on a manual clock: states, links, limits.
import { toBufferSource } from 'renderline/glb/byte-source';
import { readZipDirectory } from 'renderline/glb/zip-directory';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createModel, readyModel, statusOf, uploadedModel } from '../_flows.ts';
import { startMs, TestSandbox, triangleGlb } from '../_test-sandbox.ts';

let sandbox: TestSandbox;
beforeEach(() => {
  sandbox = new TestSandbox();
});
afterEach(() => sandbox.sandbox.close());

const confirm = (modelId: string, fileType = 'glb') =>
  sandbox.call(`POST /models/${modelId}/confirm`, { fileType });

describe('states (3.1)', () => {
  test('a model is PENDING until the upload, then ANALYZING, and READY after 2 to 6 s', async () => {
    const { modelId, uploadUrl } = await createModel(sandbox);
    expect(await statusOf(sandbox, modelId)).toBe('PENDING');
    await sandbox.put(uploadUrl, triangleGlb());
    expect(await statusOf(sandbox, modelId)).toBe('ANALYZING');
    sandbox.advance(1.9);
    expect(await statusOf(sandbox, modelId)).toBe('ANALYZING');
    sandbox.advance(4.1);
    expect(await statusOf(sandbox, modelId)).toBe('READY');
    expect((await confirm(modelId)).body).toMatchObject({ status: 'READY' });
  });

  test('the option `speed` divides the duration', async () => {
    await sandbox.sandbox.close();
    sandbox = new TestSandbox({ speed: 10 });
    const modelId = await uploadedModel(sandbox);
    sandbox.advance(0.19);
    expect(await statusOf(sandbox, modelId)).toBe('ANALYZING');
    sandbox.advance(0.41);
    expect(await statusOf(sandbox, modelId)).toBe('READY');
  });

  test('durations differ between models, and are the same for the same seed', async () => {
    const timeline = async () => {
      const own = new TestSandbox({ seed: 42 });
      const ids = [await uploadedModel(own), await uploadedModel(own), await uploadedModel(own)];
      const readyAfter: Record<string, number> = {};
      for (let tenths = 0; tenths <= 60; tenths += 1, own.advance(0.1)) {
        for (const id of ids) if ((await statusOf(own, id)) === 'READY') readyAfter[id] ??= tenths;
      }
      await own.sandbox.close();
      return Object.values(readyAfter);
    };
    const first = await timeline();
    expect(first).toHaveLength(3);
    expect(new Set(first).size).toBeGreaterThan(1);
    expect(await timeline()).toEqual(first);
  });

  test.each([
    ['a truncated GLB', triangleGlb().subarray(0, 200)],
    ['an empty file', Buffer.alloc(0)],
  ])('%s makes the model FAILED, without an error since it was uploaded', async (_title, bytes) => {
    const modelId = await uploadedModel(sandbox, 'broken.glb', bytes);
    expect(await statusOf(sandbox, modelId)).toBe('ANALYZING');
    sandbox.advance(6);
    const { body } = await sandbox.call('POST /models/status', { modelIds: [modelId] });
    expect(body).toEqual({
      models: [{ modelId, name: 'broken', status: 'FAILED', ready: false }],
      allReady: false,
      notFound: [],
    });
  });

  test('a second PUT of the same content has no effect, but other content is processed', async () => {
    const { modelId, uploadUrl } = await createModel(sandbox);
    await sandbox.put(uploadUrl, triangleGlb());
    sandbox.advance(6);
    await sandbox.put(uploadUrl, triangleGlb());
    expect(await statusOf(sandbox, modelId)).toBe('READY');
    await sandbox.put(uploadUrl, triangleGlb([], 'changed'));
    expect(await statusOf(sandbox, modelId)).toBe('ANALYZING');
  });

  test('a status that was set by a control can be removed', async () => {
    const modelId = await readyModel(sandbox);
    await sandbox.control(`/models/${modelId}/status`, { status: 'MODEL_REJECTED' });
    expect(await statusOf(sandbox, modelId)).toBe('MODEL_REJECTED');
    await sandbox.control(`/models/${modelId}/status`, { status: null });
    expect(await statusOf(sandbox, modelId)).toBe('READY');
  });
});

describe('names', () => {
  test.each([
    [{ fileName: 'Red Chair.v2.glb' }, 'Red Chair.v2'],
    [{ fileName: 'folder/inner\\chair.glb' }, 'chair'],
    [{ fileName: '.glb' }, '.glb'],
    [{}, 'Untitled model'],
    [{ name: '' }, 'Untitled model'],
  ])('the request %j creates a model named %s', async (item, name) => {
    const { body } = await sandbox.call('POST /models', { models: [{ fileType: 'glb', ...item }] });
    expect(body).toMatchObject({ models: [{ name }] });
  });
});

describe('signed links', () => {
  test('an upload link is valid for one hour, to the millisecond', async () => {
    const { uploadUrl } = await createModel(sandbox);
    sandbox.now = startMs + 3_600_000 - 1;
    expect((await sandbox.put(uploadUrl, triangleGlb())).status).toBe(200);
    sandbox.now += 1;
    expect((await sandbox.put(uploadUrl, triangleGlb())).status).toBe(403);
  });

  test('a link is valid only for its method, path and time', async () => {
    const [one, two] = [await createModel(sandbox), await createModel(sandbox)];
    const tampered = [
      one.uploadUrl.replace(one.modelId, two.modelId),
      one.uploadUrl.replace(/expires=\d+/, 'expires=9999999999999'),
      one.uploadUrl.replace(/signature=\w{4}/, 'signature=0000'),
      one.uploadUrl.replace(/\?.*/, ''),
    ];
    for (const url of tampered) expect((await sandbox.put(url, triangleGlb())).status).toBe(403);
    for (const method of ['GET', 'POST', 'DELETE']) {
      expect((await sandbox.request(one.uploadUrl, { method })).status).toBe(403);
    }
    expect(await statusOf(sandbox, one.modelId)).toBe('PENDING');
  });

  test('the upload link of a deleted model gets 404', async () => {
    const { modelId, uploadUrl } = await createModel(sandbox);
    await sandbox.call(`DELETE /models/${modelId}`);
    expect((await sandbox.put(uploadUrl, triangleGlb())).status).toBe(404);
  });

  test('a download link returns the upload for one hour, without a key', async () => {
    const glb = triangleGlb();
    const modelId = await readyModel(sandbox, 'chair.glb', glb);
    const { headers } = await sandbox.call(`GET /models/${modelId}/download`);
    const location = headers.get('location') ?? '';
    const file = await sandbox.request(location);
    expect(Buffer.from(await file.arrayBuffer()).equals(glb)).toBe(true);
    expect(file.headers.get('content-type')).toBe('model/gltf-binary');
    sandbox.advance(3600);
    expect((await sandbox.request(location)).status).toBe(403);
  });

  test('a key that is sent to storage is counted in the stats', async () => {
    const { uploadUrl } = await createModel(sandbox);
    await sandbox.request(uploadUrl, {
      method: 'PUT',
      body: 'x',
      headers: { 'x-api-key': sandbox.apiKey },
    });
    expect(await sandbox.control('/stats')).toMatchObject({ keySentToStorage: 1 });
  });

  test.each([
    ['glb', 'usdz', 302],
    ['obj', 'usdz', 404],
    ['obj', 'glb', 404],
    ['obj', 'source', 302],
  ])('a download of a .%s with format=%s gets status %i', async (fileType, format, status) => {
    const bytes =
      fileType === 'glb' ? triangleGlb() : Buffer.from('v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n');
    const modelId = await readyModel(sandbox, `thing.${fileType}`, bytes);
    const answer = await sandbox.call(`GET /models/${modelId}/download?format=${format}`);
    expect(answer.status).toBe(status);
    if (status === 404) expect(answer.body).toMatchObject({ error: { code: 'NO_FILE' } });
  });

  test('the USDZ of a GLB is a package with a stage', async () => {
    const modelId = await readyModel(sandbox, 'chair.glb', triangleGlb());
    const { headers } = await sandbox.call(`GET /models/${modelId}/download?format=usdz`);
    const file = await sandbox.request(headers.get('location') ?? '');
    expect(file.headers.get('content-type')).toBe('model/vnd.usdz+zip');
    const bytes = Buffer.from(await file.arrayBuffer());
    expect(await readZipDirectory(toBufferSource(bytes))).toEqual(['model.usda']);
    // The data starts at the offset that USDZ requires.
    expect(bytes.indexOf('#usda 1.0') % 64).toBe(0);
    await sandbox.call(`DELETE /models/${modelId}`);
    expect((await sandbox.request(headers.get('location') ?? '')).status).toBe(404);
  });
});

describe('limits', () => {
  test('a file over the size limit is received but not stored, and its confirmation is refused', async () => {
    await sandbox.control('/limits', { modelFileBytes: 400 });
    const { modelId, uploadUrl } = await createModel(sandbox);
    expect((await sandbox.put(uploadUrl, Buffer.alloc(401))).status).toBe(200);
    const refused = await confirm(modelId);
    expect(refused).toMatchObject({
      status: 413,
      body: { error: { code: 'MODEL_FILE_TOO_LARGE' } },
    });
    expect((await sandbox.call(`GET /models/${modelId}/download?format=source`)).status).toBe(404);
    await sandbox.control('/limits', { modelFileBytes: 4000 });
    await sandbox.put(uploadUrl, triangleGlb());
    expect((await confirm(modelId)).status).toBe(200);
  });

  test.each([
    [0, 'The plan allows 0 models.'],
    [1, 'The plan allows 1 model.'],
    [2, 'The plan allows 2 models.'],
  ])('the refusal of a request over the plan limit %i says "%s"', async (limit, message) => {
    await sandbox.control('/limits', { models: limit });
    const models = Array.from({ length: 3 }, () => ({ fileType: 'glb' }));
    const refused = await sandbox.call('POST /models', { models });
    expect(refused).toMatchObject({
      body: { error: { message: expect.stringContaining(message) } },
    });
  });

  test('a request over the plan limit is refused as a whole', async () => {
    await sandbox.control('/limits', { models: 2 });
    const models = [{ fileType: 'glb' }, { fileType: 'glb' }, { fileType: 'glb' }];
    const refused = await sandbox.call('POST /models', { models });
    expect(refused).toMatchObject({ status: 403, body: { error: { code: 'PLAN_LIMIT_REACHED' } } });
    expect((await sandbox.call('POST /models', { models: models.slice(1) })).status).toBe(201);
    const { body } = await sandbox.call('GET /me/usage');
    expect(body).toMatchObject({ models: { used: 2, limit: 2 } });
  });

  test('a file that was too large to be stored uses no storage', async () => {
    const file = triangleGlb();
    await sandbox.control('/limits', { modelFileBytes: file.length - 1 });
    const tooLarge = await createModel(sandbox);
    await sandbox.put(tooLarge.uploadUrl, file);
    await sandbox.control('/limits', { modelFileBytes: file.length, storageBytes: file.length });
    const { modelId, uploadUrl } = await createModel(sandbox);
    await sandbox.put(uploadUrl, file);
    expect((await confirm(modelId)).status).toBe(200);
  });

  test('a confirmation over the storage limit is refused', async () => {
    await sandbox.control('/limits', { storageBytes: 100 });
    const { modelId, uploadUrl } = await createModel(sandbox);
    await sandbox.put(uploadUrl, triangleGlb());
    expect((await confirm(modelId)).body).toMatchObject({
      error: { code: 'STORAGE_LIMIT_REACHED' },
    });
  });

  test('a confirmation with another file type is refused', async () => {
    const { modelId } = await createModel(sandbox);
    const refused = await confirm(modelId, 'obj');
    expect(refused).toMatchObject({ status: 400, body: { error: { code: 'VALIDATION_ERROR' } } });
  });
});
