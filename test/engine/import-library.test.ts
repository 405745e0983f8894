// Files that become items of the library: the number of requests, and failures of single files.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { plainImage } from '../../packages/sandbox/test/_library.ts';
import { triangleGlb } from '../../packages/sandbox/test/_test-sandbox.ts';
import { LocalConnector } from '../../src/connectors/local.ts';
import { Semaphore } from '../../src/engine/transfer-semaphore.ts';
import { kindOf } from '../../src/features/library/library-kinds.ts';
import { createLibraryLister } from '../../src/features/library/list-library.ts';
import type { Asset, Plan } from '../../src/plan/types.ts';
import { planOf } from '../compile/_compile.ts';
import { SandboxRun } from './_sandbox-run.ts';

let at: SandboxRun;
let plan: Plan;

beforeEach(async () => {
  at = await SandboxRun.start();
  plan = planOf(
    `name: library
parameters: { folder: { type: path, required: true } }
connectors: { files: { type: local, path: "\${{ params.folder }}" } }
records: files
nodes:
  - id: library
    type: library_import
    config:
      connector: files
      props: { include: ["props/**"] }
      decals: { include: ["logos/**"], collection: Logos }
      materials: { include: ["textures/**"], collection: "{{ asset.folder }}" }
`,
    { folder: at.folder },
  );
});

afterEach(() => at.stop());

async function put(path: string, bytes: Uint8Array): Promise<void> {
  const file = join(at.folder, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, bytes);
}

async function assets(): Promise<Asset[]> {
  const connector = new LocalConnector({ type: 'local', path: at.folder });
  const every = (folder: string) => ({ include: [`${folder}/**`], exclude: [] });
  const { sources } = await createLibraryLister({
    connector,
    config: {
      props: every('props'),
      decals: every('logos'),
      materials: { ...every('textures'), unmatchedAsDiffuse: false },
      stableForMs: 0,
    },
    node: 'library',
    now: () => at.nowMs,
  }).list(undefined);
  return sources
    .map(({ unkeyed, source }): Asset => ({ key: unkeyed.shortKey, source, platformIds: {} }))
    .sort((one, other) => (one.key < other.key ? -1 : 1));
}

/** Runs all steps, since the import is the first one. */
const play = (of: Asset[]) => at.runPlan(plan, of, { after: '' });

const outcomes = (settled: Awaited<ReturnType<typeof play>>) =>
  Object.fromEntries(settled.map(({ key, outcome, failure }) => [key, failure?.code ?? outcome]));

describe('importing files into the library', () => {
  it('props and decals share requests, and materials are awaited', async () => {
    await put('textures/oak_diffuse.png', await plainImage());
    await put('textures/oak_normal.jpg', await plainImage('#8080ff', 'jpeg'));
    await put('logos/acme.png', await plainImage());
    await put('logos/other.webp', await plainImage('#ffffff', 'webp'));
    await put('props/vase.glb', triangleGlb());
    const settled = await play(await assets());
    expect(outcomes(settled)).toEqual({
      'logos/acme': 'complete',
      'logos/other': 'complete',
      'props/vase': 'complete',
      'textures/oak': 'complete',
    });
    expect(at.requests()).toMatchObject({
      createProps: 1,
      confirmProp: 1,
      createDecals: 1,
      confirmDecal: 2,
      createMaterial: 1,
      confirmMaterial: 1,
    });
    const { materials } = await at.client.listMaterials();
    const { decals } = await at.client.listDecals();
    expect(materials).toMatchObject([{ name: 'oak', status: 'ready' }]);
    expect(decals.map(({ status, collectionId }) => [status, collectionId !== null])).toEqual([
      ['READY', true],
      ['READY', true],
    ]);
    expect(materials[0]?.collectionId).not.toBe(decals[0]?.collectionId);
  });

  it('decals are never polled, because they are ready once they are confirmed', async () => {
    await put('logos/acme.png', await plainImage());
    await play(await assets());
    expect(at.requests()).toEqual({ createDecals: 1, confirmDecal: 1 });
  });

  it('every invalid file fails alone, with its own reason', async () => {
    await put('textures/oak_diffuse.png', await plainImage());
    await put('textures/bad_diffuse.png', Buffer.from('no picture'));
    await put('logos/acme.png', await plainImage());
    await put('logos/bad.png', Buffer.from('no picture'));
    await put('logos/cut.png', (await plainImage()).subarray(0, 40));
    await put('logos/void.png', Buffer.alloc(0));
    await put('props/bad.glb', Buffer.from('no model'));
    await put('props/vase.glb', triangleGlb());
    expect(outcomes(await play(await assets()))).toEqual({
      'logos/acme': 'complete',
      'logos/bad': 'NOT_A_PICTURE',
      'logos/cut': 'VALIDATION_ERROR',
      'logos/void': 'EMPTY_FILE',
      'props/bad': 'NOT_A_GLB',
      'props/vase': 'complete',
      'textures/bad': 'NOT_A_PICTURE',
      'textures/oak': 'complete',
    });
    const { decals } = await at.client.listDecals();
    expect(decals.map(({ name }) => name)).toEqual(['logos/acme']);
  });

  it.each<[string, string, 'gone' | 'new', string]>([
    ['a texture is missing', 'textures/oak_normal.png', 'gone', 'FILE_GONE'],
    ['a texture has changed', 'textures/oak_normal.png', 'new', 'SOURCE_CHANGED'],
    ['a decal has changed', 'logos/oak.png', 'new', 'SOURCE_CHANGED'],
  ])('no request is sent if %s', async (_what, path, now, code) => {
    const set = ['textures/oak_diffuse.png', 'textures/oak_normal.png'];
    for (const file of path.startsWith('logos/') ? [path] : set)
      await put(file, await plainImage());
    const listed = await assets();
    if (now === 'gone') await rm(join(at.folder, path));
    else await put(path, await plainImage('#000000', 'png', 40));
    expect(Object.values(outcomes(await play(listed)))).toEqual([code]);
    expect(at.requests()).toEqual({});
  });

  it('no request is sent for files that are not pictures', async () => {
    await put('textures/oak_diffuse.png', await plainImage());
    await put('textures/oak_normal.png', Buffer.from('no picture'));
    await put('logos/acme.png', Buffer.from('no picture'));
    await play(await assets());
    expect(at.requests()).toEqual({});
  });

  it('a texture set that changes during its upload is not confirmed', async () => {
    await put('textures/oak_diffuse.png', await plainImage());
    const listed = await assets();
    const other = await plainImage('#000000', 'png', 40);
    const getConnector = () => {
      const connector = new LocalConnector({ type: 'local', path: at.folder });
      const open = connector.open.bind(connector);
      connector.open = async (path) => {
        await put(path, other);
        return open(path);
      };
      return connector;
    };
    const settled = await at.runPlan(plan, listed, { after: '', getConnector });
    expect(outcomes(settled)).toEqual({ 'textures/oak': 'SOURCE_CHANGED' });
    // The record whose texture was never uploaded is deleted.
    expect(at.requests()).toEqual({ createMaterial: 1, deleteMaterial: 1 });
    expect((await at.client.listMaterials()).total).toBe(0);
  });

  it('a repeated attempt creates nothing twice', async () => {
    await put('textures/oak_diffuse.png', await plainImage());
    await put('logos/acme.png', await plainImage());
    await put('props/vase.glb', triangleGlb());
    const listed = await assets();
    await play(listed);
    await play(listed);
    const totals = [
      (await at.client.listMaterials()).total,
      (await at.client.listDecals()).total,
      (await at.client.listProps()).total,
    ];
    expect(totals).toEqual([1, 1, 1]);
  });

  it.each([
    ['immediately', 0],
    ['after its links have expired (1 h)', 2 * 3_600],
  ])('an attempt that continues %s confirms each file once', async (_when, seconds) => {
    const pictures = ['logos/acme', 'logos/other', 'textures/elm_diffuse', 'textures/oak_diffuse'];
    for (const picture of pictures) await put(`${picture}.png`, await plainImage());
    await put('props/bowl.glb', triangleGlb());
    await put('props/vase.glb', triangleGlb());
    const listed = await assets();
    const getConnector = () => {
      const connector = new LocalConnector({ type: 'local', path: at.folder });
      const open = connector.open.bind(connector);
      connector.open = async (path) => {
        if (/vase|other|oak/.test(path)) throw new Error('the place of the files is down');
        return open(path);
      };
      return connector;
    };
    // Each kind of file meets the error in its own attempt.
    for (const kind of ['prop', 'decal', 'material']) {
      const part = listed.filter(({ source }) => kindOf(source) === kind);
      const playing = at.runPlan(plan, part, { after: '', getConnector });
      await expect(playing).rejects.toThrow('is down');
    }
    at.pass(120 + seconds);
    for (const kind of ['prop', 'decal', 'material']) {
      await play(listed.filter(({ source }) => kindOf(source) === kind));
    }
    const { materials } = await at.client.listMaterials();
    const { decals } = await at.client.listDecals();
    const { props } = await at.client.listProps();
    const all = [...materials, ...decals, ...props].map(({ name, status }) => `${name} ${status}`);
    expect(all.sort()).toEqual([
      'elm ready',
      'logos/acme READY',
      'logos/other READY',
      'oak ready',
      'props/bowl READY',
      'props/vase READY',
    ]);
    expect(at.requests()).toMatchObject({ confirmProp: 2, confirmDecal: 2, confirmMaterial: 2 });
  });

  it('a link that expires while other files are uploaded leaves one record per file', async () => {
    await put('logos/acme.png', await plainImage());
    await put('logos/other.png', await plainImage());
    const listed = await assets();
    let late = true;
    const getConnector = () => {
      const connector = new LocalConnector({ type: 'local', path: at.folder });
      const open = connector.open.bind(connector);
      connector.open = async (path) => {
        if (late && path.endsWith('other.png')) at.pass(2 * 3_600);
        late = late && !path.endsWith('other.png');
        return open(path);
      };
      return connector;
    };
    // The files are uploaded one after the other, so that the first is uploaded before the second is late.
    const transfers = Semaphore.of(1);
    await at.runPlan(plan, listed, { after: '', getConnector, transfers });
    const { decals } = await at.client.listDecals();
    expect(decals.map(({ name, status }) => `${name} ${status}`).sort()).toEqual([
      'logos/acme READY',
      'logos/other READY',
    ]);
  });

  // The status of materials has no `notFound`: a missing material is reported as failed.
  it.each([
    [
      'props/vase',
      { path: 'props/vase.glb' },
      { propId: 'gone' },
      'LIBRARY_ITEM_NOT_FOUND',
      'propId',
    ],
    [
      'logos/acme',
      { path: 'logos/acme.png' },
      { decalId: 'gone' },
      'LIBRARY_ITEM_NOT_FOUND',
      'decalId',
    ],
    [
      'textures/oak',
      { path: 'textures/oak', set: { name: 'oak', files: {} } },
      { materialId: 'gone' },
      'LIBRARY_ITEM_FAILED',
      null,
    ],
  ])('%s that is missing from the library fails', async (key, made, platformIds, code, missing) => {
    const source = { bytes: 1, mtimeMs: 1, version: '1-1', ...made };
    const settled = await play([{ key, source, platformIds }]);
    expect(outcomes(settled)).toEqual({ [key]: code });
    // The next run searches for an item that may become visible later.
    expect(settled[0]?.platformIds).toEqual(
      missing === null ? {} : { ...platformIds, missingIds: [missing] },
    );
    expect(at.requests()).not.toHaveProperty('createProps');
  });
});
