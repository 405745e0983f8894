// Materials: textures, processing, generated channels, search.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { confirmMaterial, createMaterial, plainImage, readyMaterial } from '../_library.ts';
import { startMs, TestSandbox } from '../_test-sandbox.ts';

let sandbox: TestSandbox;
beforeEach(() => {
  sandbox = new TestSandbox();
});
afterEach(() => sandbox.sandbox.close());

interface StatusAnswer {
  materials: { materialId: string; status: string; error?: string }[];
  allReady: boolean;
}

const check = async (...materialIds: string[]) =>
  (await sandbox.call<StatusAnswer>('POST /materials/status', { materialIds })).body;
const statusOf = async (id: string) => (await check(id)).materials[0]?.status;

describe('creation', () => {
  test.each([
    ['a blank name', { name: '  ' }],
    [
      'a duplicate channel',
      {
        textures: [
          { channel: 'diffuse', fileType: 'png' },
          { channel: 'diffuse', fileType: 'jpg' },
        ],
      },
    ],
  ])('a material with %s is refused', async (_title, change) => {
    const { status, body } = await sandbox.call('POST /materials', {
      name: 'Oak',
      textures: [{ channel: 'diffuse', fileType: 'png' }],
      ...change,
    });
    expect([status, body]).toMatchObject([400, { error: { code: 'VALIDATION_ERROR' } }]);
  });
});

describe('confirmation and processing', () => {
  test('processing takes one to two minutes', async () => {
    const material = await createMaterial(sandbox);
    const id = material.materialId;
    expect(await statusOf(id)).toBe('processing');
    await sandbox.put(material.uploads[0]?.uploadUrl ?? '', await plainImage());
    const confirmed = await confirmMaterial(sandbox, material);
    expect(confirmed).toMatchObject({
      status: 200,
      body: { materialId: id, status: 'processing' },
    });
    await sandbox.sandbox.idle();
    sandbox.advance(59.9);
    expect(await check(id)).toEqual({
      materials: [{ materialId: id, status: 'processing' }],
      allReady: false,
    });
    sandbox.advance(60.1);
    expect(await check(id)).toEqual({
      materials: [{ materialId: id, status: 'ready' }],
      allReady: true,
    });
    expect((await confirmMaterial(sandbox, material)).body).toMatchObject({ status: 'ready' });
  });

  test('an image that cannot be decoded fails the material, with the channel in the error', async () => {
    const id = await readyMaterial(
      sandbox,
      { textures: [{ channel: 'roughness', fileType: 'png' }] },
      Buffer.from('not a picture'),
    );
    expect(await check(id)).toMatchObject({
      materials: [{ status: 'failed', error: expect.stringContaining('roughness') }],
      allReady: false,
    });
  });

  test('an EXR is recognized by its header', async () => {
    const textures = [{ channel: 'normal', fileType: 'exr' }];
    const header = Buffer.from([0x76, 0x2f, 0x31, 0x01, 2, 0, 0, 0]);
    expect(await statusOf(await readyMaterial(sandbox, { textures }, header))).toBe('ready');
    const png = await plainImage();
    expect(await statusOf(await readyMaterial(sandbox, { textures }, png))).toBe('failed');
  });

  test('a confirmation refuses other textures, missing files and unknown collections', async () => {
    const material = await createMaterial(sandbox, { collection: 'A' });
    const confirm = (body: object) =>
      sandbox.call<{ error?: { code: string } }>(
        `POST /materials/${material.materialId}/confirm`,
        body,
      );
    const codes = async (body: object) => (await confirm(body)).body.error?.code;
    expect(await codes({ uploadedTypes: ['normal.png'] })).toBe('VALIDATION_ERROR');
    expect(await codes({ uploadedTypes: ['diffuse.jpg'] })).toBe('VALIDATION_ERROR');
    expect(await codes({ uploadedTypes: ['diffuse.png'] })).toBe('FILE_NOT_UPLOADED');
    await sandbox.put(material.uploads[0]?.uploadUrl ?? '', await plainImage());
    expect(await codes({ uploadedTypes: ['diffuse.png'], collectionId: 'nowhere' })).toBe(
      'NOT_FOUND',
    );
    expect((await confirm({ uploadedTypes: ['diffuse.png'], name: 'New' })).status).toBe(200);
    const { body } = await sandbox.call(`GET /materials/${material.materialId}`);
    expect(body).toMatchObject({ name: 'New', collectionId: material.collectionId });
  });

  test('an unknown id is reported as failed, since the response has no field for unknown ids', async () => {
    expect(await check('nowhere')).toEqual({
      materials: [
        { materialId: 'nowhere', status: 'failed', error: expect.stringContaining('no') },
      ],
      allReady: false,
    });
  });
});

describe('reading', () => {
  test('a material contains the same fields as in the list', async () => {
    const materialId = await readyMaterial(sandbox);
    const { body } = await sandbox.call(`GET /materials/${materialId}`);
    expect(body).toEqual({
      materialId,
      name: 'Red leather',
      type: 'pbr',
      status: 'ready',
      source: 'uploaded',
      collectionId: null,
      thumbnailUrl: expect.stringMatching(/\.png$/),
      createdAt: new Date(startMs).toISOString(),
    });
    expect((await sandbox.call('GET /materials')).body).toEqual({
      materials: [body],
      total: 1,
      limit: 50,
      offset: 0,
    });
    expect((await sandbox.request(String(body['thumbnailUrl']))).status).toBe(200);
  });

  test('the search matches name, keywords and colour fuzzily, and returns the newest materials first', async () => {
    await readyMaterial(
      sandbox,
      { name: 'Oak veneer', collection: 'Woods' },
      await plainImage('#6e4123'),
    );
    await readyMaterial(sandbox, { name: 'Nappa' }, await plainImage('#c8141e'));
    await readyMaterial(
      sandbox,
      { name: 'Walnut', collection: 'Woods' },
      await plainImage('#4b2d19'),
    );
    const names = async (search: string) => {
      const query = `?search=${encodeURIComponent(search)}`;
      const { body } = await sandbox.call<{ materials: { name: string }[]; total: number }>(
        `GET /materials${query}`,
      );
      expect(body.total).toBe(body.materials.length);
      return body.materials.map(({ name }) => name);
    };
    expect(await names('oak venear')).toEqual(['Oak veneer']);
    expect(await names('red')).toEqual(['Nappa']);
    expect(await names('brown')).toEqual(['Walnut', 'Oak veneer']);
    expect(await names('browm')).toEqual(['Walnut', 'Oak veneer']);
    expect(await names('wlanut')).toEqual(['Walnut']);
    expect(await names('oka')).toEqual(['Oak veneer']);
    expect(await names('wods')).toEqual(['Walnut', 'Oak veneer']);
    expect(await names('brown walnut')).toEqual(['Walnut']);
    expect(await names('marble')).toEqual([]);
    expect(await names(' ')).toEqual(['Walnut', 'Nappa', 'Oak veneer']);
  });
});

describe('plan-import', () => {
  const plan = (body: object) => sandbox.call('POST /materials/plan-import', body);

  test('plan-import groups file names, but creates no material', async () => {
    const paths = ['oak_diff.png', 'oak_nor.png', 'oak_ao.png', 'oak_orm.png', 'a.txt', 'hero.png'];
    expect(await plan({ paths })).toMatchObject({
      status: 200,
      body: {
        materials: [{ name: 'oak', textures: { diffuse: 'oak_diff.png', normal: 'oak_nor.png' } }],
        ignored: ['oak_ao.png'],
        packed: ['oak_orm.png'],
        unmatched: ['hero.png'],
        skipped: ['a.txt'],
        duplicates: [],
      },
    });
    expect((await plan({ paths, unmatchedAsDiffuse: true })).body).toMatchObject({
      materials: [{ name: 'hero', textures: { diffuse: 'hero.png' } }, { name: 'oak' }],
      unmatched: [],
    });
    expect((await sandbox.call('GET /materials')).body).toMatchObject({ total: 0 });
  });
});
