// Differences between a new picture and the picture that it replaces: reported, recorded, and held back for approval.
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { describe, expect, it, test } from 'vitest';
import { findReplacedFile } from '../../src/features/delivery/replaced-pictures.ts';
import { openRunStore } from '../../src/features/run-store.ts';
import { compareFiles } from '../../src/pictures/compare-pictures.ts';
import type { DeliveredFile } from '../../src/plan/types.ts';
import type { Decision } from '../../src/store/runs/pictures/approvals.ts';
import type { RunStore } from '../../src/store/runs/run-store.ts';
import { noStages } from '../plan/_steps.ts';
import { runContext } from './_context.ts';
import { codes, useDelivery } from './_delivery.ts';

const delivery = useDelivery();

/** A grey picture, with a red part of this width. */
async function drawing(red: number, [width, height] = [200, 100]): Promise<Buffer> {
  const grey = sharp({ create: { width, height, channels: 3, background: '#888' } });
  const part = { create: { width: red || 1, height, channels: 3 as const, background: '#c00' } };
  const parts = red === 0 ? [] : [{ input: part, left: 0, top: 0 }];
  return grey.composite(parts).png().toBuffer();
}

describe('the changed share', () => {
  test.each([
    ['the same picture', drawing(0), 0, 0],
    ['a picture that is one quarter red', drawing(50), 0.24, 0.26],
    ['an entirely red picture', drawing(200), 1, 1],
    ['a picture with other proportions', drawing(0, [100, 100]), 1, 1],
    ['the same picture at twice the size', drawing(0, [400, 200]), 0, 0],
    [
      'a recompressed picture',
      drawing(0).then((png) => sharp(png).jpeg({ quality: 80 }).toBuffer()),
      0,
      0,
    ],
  ])('the changed share is computed for %s', async (_name, after, min, max) => {
    const [was, is] = [join(delivery.folder, 'was'), join(delivery.folder, 'is')];
    await writeFile(was, await drawing(0));
    await writeFile(is, await after);
    const { share, before } = await compareFiles(was, is);
    expect(share).toBeGreaterThanOrEqual(min);
    expect(share).toBeLessThanOrEqual(max);
    expect((await sharp(before).metadata()).format).toBe('jpeg');
  });
});

const file = (path: string, more: Partial<DeliveredFile> = {}): DeliveredFile => ({
  key: 'shoe',
  path,
  bytes: 1,
  sha256: 'old',
  width: 200,
  height: 100,
  output: 'o',
  delivery: 'd',
  ...more,
});

describe('the picture that a new one replaces', () => {
  test.each([
    ['has the same name', [file('a.png'), file('b.png')], 'b.png', 2, 'b.png'],
    ['is the only one, even under another name', [file('run-1.png')], 'run-2.png', 1, 'run-1.png'],
    ['is unknown if several have other names', [file('a.png'), file('b.png')], 'c.png', 2, null],
    ['is never a file that is not a picture', [file('a.png', { width: 0 })], 'a.png', 1, null],
    ['does not exist for a new asset', [], 'a.png', 1, null],
  ])('the old picture %s', (_name, before, path, files, expected) => {
    expect(findReplacedFile(before, path, files)?.path ?? null).toBe(expected);
  });
});

/** A run that finds that `shoe` has changed since it was delivered as `files`. */
async function storeAfter(...files: DeliveredFile[]) {
  const store = openRunStore(delivery.records, runContext());
  const source = { path: 'shoe.glb', bytes: 1, mtimeMs: 0, version: '1' };
  const { run, lineage, recipe } = store.context;
  const finishedAt = new Date(0).toISOString();
  const record = {
    key: 'shoe',
    source,
    recipe,
    platformIds: {},
    files,
    run,
    lineage,
    finishedAt,
  };
  const previous = [await store.records.write(record)];
  await store.runAssets.write({
    assets: [{ key: 'shoe', source, reason: 'changed', previous }],
    counts: { total: 1, new: 0, changed: 1, unchanged: 0 },
    refused: [],
    shardSize: 10,
  });
  return store;
}

describe('a delivery that replaces another one', () => {
  async function deliveredOver(was: Buffer, is: Buffer, old: Partial<DeliveredFile> = {}) {
    await writeFile(join(delivery.folder, 'shoe.png'), was);
    const store = await storeAfter(file('shoe.png', { bytes: was.length, ...old }));
    const output = delivery.output('r1', 'Front');
    delivery.platform.pictures.set('r1.png', is);
    const results = await delivery.run('{{ key }}.{{ ext }}', [delivery.rendered('shoe', output)], {
      store,
    });
    const [result] = results;
    const [made] = result?.outcome === 'done' ? (result.files ?? []) : [];
    const kept = await store.pictureChanges.read({ key: 'shoe', path: 'shoe.png' });
    return { made, kept };
  }

  it('the delivery reports the changed share, and keeps a small copy of the old picture', async () => {
    const { made, kept } = await deliveredOver(await drawing(0), await drawing(50));
    expect(made?.change).toBeCloseTo(0.25, 1);
    expect(kept).toMatchObject({ share: made?.change, sha256: made?.sha256 });
    const copy = await sharp(Buffer.from(kept?.before ?? '', 'base64')).stats();
    expect(copy.channels[0]?.mean).toBeCloseTo(0x88, -1);
  });

  it('the delivery keeps no copy if the picture looks the same', async () => {
    const png = await drawing(50);
    const is = await sharp(png).png({ compressionLevel: 1 }).toBuffer();
    const { made, kept } = await deliveredOver(png, is);
    expect([made?.change, kept]).toEqual([0, null]);
  });

  it.each([
    ['another file is at its path', { bytes: 7 }],
    ['the old file is not a picture', {}],
  ])('the delivery reports no changed share if %s', async (_name, old) => {
    const { made, kept } = await deliveredOver(Buffer.from('no picture'), await drawing(50), old);
    expect(made).toMatchObject({ path: 'shoe.png', width: 200 });
    expect([made?.change, kept]).toEqual([undefined, null]);
  });
});

describe('a delivery that accepts only small changes', () => {
  const old = file('shoe.png', { key: 'shoe' });

  /** Exports `shoe`, a quarter of which is red now, and the new asset `hat`. */
  async function exported(change: string) {
    const was = await drawing(0);
    await writeFile(join(delivery.folder, 'shoe.png'), was);
    const store = await storeAfter({ ...old, bytes: was.length });
    const shoe = delivery.output('r1', 'Front');
    const hat = delivery.output('r2', 'Front');
    delivery.platform.pictures.set('r1.png', await drawing(50));
    const assets = [delivery.rendered('shoe', shoe), delivery.rendered('hat', hat)];
    const images = [{ format: 'JPEG' as const, naming: 'web/{{ key }}.{{ ext }}' }];
    const run = () =>
      delivery.run('{{ key }}.{{ ext }}', assets, { store, accept: { change }, images });
    return { store, run, was };
  }

  const shoeIs = () => readFile(join(delivery.folder, 'shoe.png'));

  it('pictures that have changed too much are held back, and the others are delivered', async () => {
    const { store, run, was } = await exported('<20%');
    await expect(run()).rejects.toMatchObject({
      runCause: {
        code: 'PICTURES_CHANGED',
        kind: 'later',
        message: expect.stringMatching(
          /^1 new picture differs by 20% or more.*shoe\.png \(2\d%\)$/,
        ),
      },
    });
    expect(await shoeIs()).toEqual(was);
    // A held picture does not have images yet.
    expect(await delivery.files()).toEqual(['hat.png', 'shoe.png', 'web/hat.jpg']);
    const [held] = await store.heldPictures.waiting();
    expect(held).toMatchObject({ key: 'shoe', path: 'shoe.png', shard: 0 });
    expect(held).not.toHaveProperty('decision');
    for (const copy of [held?.before, held?.after]) {
      expect((await sharp(Buffer.from(copy ?? '', 'base64')).metadata()).format).toBe('jpeg');
    }
  });

  const note = { by: 'anna@studio', at: '2026-11-27T20:00:00.000Z' };
  async function decideAbout(store: RunStore, decision: Pick<Decision, 'outcome' | 'reason'>) {
    for (const picture of await store.heldPictures.waiting())
      await store.heldPictures.decide(picture, { ...decision, ...note });
  }

  it('the asset of a rejected picture fails, and the next run renders it again', async () => {
    const { store, run, was } = await exported('<20%');
    await expect(run()).rejects.toThrow('shoe.png');
    await decideAbout(store, { outcome: 'rejected', reason: 'wrong red' });
    const results = await run();
    expect(codes(results)).toEqual(['APPROVAL_REJECTED', 'done']);
    expect(results[0]).toMatchObject({
      key: 'shoe',
      message:
        'anna@studio rejected shoe.png on 2026-11-27 20:00 UTC: wrong red; the old picture is still in place',
      forgetIds: expect.arrayContaining(['jobId', 'outputs']),
    });
    expect(await shoeIs()).toEqual(was);
    expect(await store.failedImages.read('shoe')).toMatchObject({ path: 'shoe.png' });
  });

  it('the first decision is kept, and a decision about a picture that no longer exists is refused', async () => {
    const { store, run } = await exported('<20%');
    await expect(run()).rejects.toThrow('shoe.png');
    const [held] = await store.heldPictures.waiting();
    if (!held) throw new Error('nothing is held back');
    const rejected = { outcome: 'rejected', reason: 'wrong red', ...note } as const;
    const approved = { outcome: 'approved', by: 'bob@studio', at: note.at } as const;
    expect(await store.heldPictures.decide(held, rejected)).toEqual(rejected);
    expect(await store.heldPictures.decide(held, approved)).toEqual(rejected);
    expect(await store.heldPictures.decide({ ...held, sha256: 'other' }, approved)).toBeNull();
  });

  it('the run asks again until the picture is approved, and then delivers it', async () => {
    const { store, run } = await exported('<20%');
    await expect(run()).rejects.toThrow('shoe.png');
    await expect(run()).rejects.toThrow('shoe.png');
    await decideAbout(store, { outcome: 'approved' });
    expect(codes(await run())).toEqual(['done', 'done']);
    expect(await delivery.files()).toContain('web/shoe.jpg');
    expect(await shoeIs()).toEqual(await drawing(50));
    expect(await store.heldPictures.waiting()).toEqual([]);
  });

  it('the run asks about a different picture despite an earlier approval', async () => {
    const { store, run } = await exported('<20%');
    await expect(run()).rejects.toThrow('shoe.png');
    await decideAbout(store, { outcome: 'approved' });
    delivery.platform.pictures.set('r1.png', await drawing(100));
    await expect(run()).rejects.toThrow('(5');
  });

  it.each([
    ['has a file with the same name', 'shoe.png', 'print-1'],
    ['has a file too, and the names have changed', 'shoe-old.png', 'print-0'],
  ])(
    'the picture is compared with its own file if another export %s',
    async (_what, path, mark) => {
      const was = await drawing(0);
      await writeFile(join(delivery.folder, path), was);
      const ofShop = file('shoe.png', { bytes: was.length + 9, delivery: 'shop' });
      const store = await storeAfter(ofShop, file(path, { bytes: was.length, delivery: mark }));
      const shop = { fingerprint: 'shop', connector: 'web' };
      for (const [recipe, fingerprint] of [
        ['before', mark],
        ['r', 'print-1'],
      ] as const) {
        const deliveries = { shop, print: { fingerprint, connector: 'out' } };
        await store.recipes.write(recipe, { ...noStages, deliveries });
      }
      const shoe = delivery.rendered('shoe', delivery.output('r1', 'Front'));
      delivery.platform.pictures.set('r1.png', await drawing(50));
      const step = { id: 'print', node: 'print', batch: 50, retry: null, delivery: 'print-1' };
      const options = { store, step, accept: { change: '<20%' } };
      await expect(delivery.run('{{ key }}.{{ ext }}', [shoe], options)).rejects.toMatchObject({
        runCause: { code: 'PICTURES_CHANGED' },
      });
      expect(await readFile(join(delivery.folder, path))).toEqual(was);
    },
  );

  it('the picture is compared again even if another export has compared it with its own file', async () => {
    const { store, run } = await exported('<20%');
    const sha256 = createHash('sha256')
      .update(await drawing(50))
      .digest('hex');
    const change = { sha256, replaced: 'of another export', share: 0.01, before: '' };
    await store.pictureChanges.write({ key: 'shoe', path: 'shoe.png' }, change);
    await expect(run()).rejects.toThrow('shoe.png');
  });

  it('pictures that have changed little are delivered', async () => {
    const { run } = await exported('<30%');
    expect(codes(await run())).toEqual(['done', 'done']);
  });
});
