import { describe, expect, it } from 'vitest';
import { ConnectorError } from '../../src/connectors/connector-error.ts';
import { LocalConnector } from '../../src/connectors/local.ts';
import { ModelCells } from '../../src/features/delivery/withdrawal/shared-files.ts';
import { openRunStore } from '../../src/features/run-store.ts';
import { nameInState } from '../../src/store/records/withdrawal-state.ts';
import { MemoryBucket, MemoryConnector } from '../connectors/_memory-connector.ts';
import { tempFolder } from '../connectors/_temp-folder.ts';
import { colorway, inCell } from '../plan/_cells.ts';
import { alive, dead, recipe, sourceOf, storeOn } from '../store/_store.ts';
import {
  arFile,
  contents,
  delivered,
  deliveredCells,
  dying,
  filesOn,
  Killed,
  key,
  statesOn,
  withdrawing,
} from './_withdrawal.ts';

const places = {
  folder: async () => new LocalConnector({ type: 'local', path: await tempFolder() }),
  bucket: async () => new MemoryConnector(new MemoryBucket()),
};

const archived = Object.fromEntries(
  Object.entries(contents).map(([path, content]) => [`archive/${path}`, content]),
);

describe.each(Object.entries(places))('withdrawing an asset in a %s', (_kind, place) => {
  it('a withdrawal moves files to the archive and records their new paths', async () => {
    const connector = await place();
    const name = await delivered(connector);
    expect(await withdrawing(name, connector, 'second')).toEqual({
      key,
      archived: 2,
      deleted: 0,
      isWithdrawn: true,
      warnings: [],
    });
    expect(await filesOn(connector)).toEqual(archived);
    expect(await statesOn(connector, name)).toEqual(['withdrawn']);
    const record = await storeOn(connector, 'look').records.read(nameInState(name, 'withdrawn'));
    expect(record?.files.map(({ path }) => path)).toEqual(Object.keys(archived));
    expect(await storeOn(connector, 'look').claims.read(key)).toBeNull();
  });

  it('a withdrawal with `delete` deletes the files', async () => {
    const connector = await place();
    const name = await delivered(connector);
    const answer = await withdrawing(name, connector, 'second', 'delete');
    expect(answer).toMatchObject({ archived: 0, deleted: 2, isWithdrawn: true });
    expect(await filesOn(connector)).toEqual({});
  });

  it.each(['archive', 'delete'] as const)(
    'the withdrawal with `%s` has the same result at whatever point a worker dies',
    async (policy) => {
      let deaths = 0;
      for (const when of ['before', 'after'] as const) {
        for (let at = 1; ; at += 1) {
          const connector = await place();
          const name = await delivered(connector);
          const died = await withdrawing(name, dying(connector, at, when), 'second', policy).then(
            () => false,
            (error: unknown) => error instanceof Killed,
          );
          const files = await filesOn(connector);
          // Files of a record that still counts as delivered are in place.
          if ((await statesOn(connector, name)).includes('delivered')) {
            expect(files, `${when} ${at}`).toMatchObject(contents);
          }
          // No file is lost on the way to the archive.
          if (policy === 'archive') {
            expect(new Set(Object.values(files)), `${when} ${at}`).toEqual(
              new Set(Object.values(contents)),
            );
          }
          for (const run of ['second', 'third']) await withdrawing(name, connector, run, policy);
          expect(await filesOn(connector), `${when} ${at}`).toEqual(
            policy === 'archive' ? archived : {},
          );
          expect(await statesOn(connector, name), `${when} ${at}`).toEqual(['withdrawn']);
          expect(await storeOn(connector, 'look').claims.read(key)).toBeNull();
          if (!died) break;
          deaths += 1;
        }
      }
      expect(deaths).toBeGreaterThan(10);
    },
  );

  it('a second attempt of the same run returns the same counts', async () => {
    const connector = await place();
    const name = await delivered(connector);
    const [first, second] = [
      await withdrawing(name, connector, 'second'),
      await withdrawing(name, connector, 'second'),
    ];
    expect(second).toEqual(first);
    expect(await withdrawing(name, connector, 'third')).toMatchObject({ isWithdrawn: false });
  });

  it('only one of two simultaneous runs withdraws the asset', async () => {
    const connector = await place();
    const name = await delivered(connector);
    const alive = { isAlive: async () => true };
    const both = await Promise.all(
      ['second', 'third'].map((run) => withdrawing(name, connector, run, 'archive', alive)),
    );
    expect(both.filter(({ isWithdrawn }) => isWithdrawn)).toHaveLength(1);
    expect(await filesOn(connector)).toEqual(archived);
  });
});

describe('a withdrawal', () => {
  const bucket = () => new MemoryConnector(new MemoryBucket());

  it('a withdrawal leaves an asset alone if its model is back', async () => {
    const connector = bucket();
    const name = await delivered(connector);
    await connector.write(sourceOf(key).path, Buffer.from('x'));
    expect(await withdrawing(name, connector, 'second')).toMatchObject({ isWithdrawn: false });
    expect(await statesOn(connector, name)).toEqual(['delivered']);
  });

  it('a withdrawal leaves an asset alone if another run works on it', async () => {
    const connector = bucket();
    const name = await delivered(connector);
    const { claims } = storeOn(connector, 'other');
    await claims.claim({ key, version: '1-1', shard: 0 }, { isAlive: async () => true });
    const alive = { isAlive: async () => true };
    const answer = await withdrawing(name, connector, 'second', 'delete', alive);
    expect(answer).toMatchObject({ isWithdrawn: false, deleted: 0 });
    expect(await filesOn(connector)).toEqual(contents);
  });

  it('a withdrawal leaves an asset alone if a run on another Temporal server works on it', async () => {
    const connector = bucket();
    const name = await delivered(connector);
    const context = { run: 'other', lineage: 'other', pipeline: 'shoes', recipe };
    const { claims } = openRunStore(connector, context, { temporal: 'theirs' });
    await claims.claim({ key, version: '1-1', shard: 0 }, alive);
    expect(await withdrawing(name, connector, 'second', 'delete', dead)).toMatchObject({
      isWithdrawn: false,
      deleted: 0,
    });
    expect(await filesOn(connector)).toEqual(contents);
    expect(await claims.read(key)).toMatchObject({ run: 'other', state: 'working' });
  });

  it('a withdrawal takes the asset over from another Temporal server that a person has declared dead', async () => {
    const connector = bucket();
    const name = await delivered(connector);
    const context = { run: 'other', lineage: 'other', pipeline: 'shoes', recipe };
    const { claims } = openRunStore(connector, context, { temporal: 'theirs', now: () => 0 });
    await claims.claim({ key, version: '1-1', shard: 0 }, alive);
    const declaredDead = { ...alive, takeOverMs: 0 };
    const answer = await withdrawing(name, connector, 'second', 'delete', declaredDead);
    expect(answer).toMatchObject({ isWithdrawn: true });
    expect(await filesOn(connector)).toEqual({});
  });

  it('a withdrawal does not restore a claim that another run has released in the meantime', async () => {
    const connector = bucket();
    const name = await delivered(connector);
    const { claims } = storeOn(connector, 'other');
    const wish = { key, version: '2-2', recipe, shard: 3, platformIds: { modelId: 'm2' } };
    await claims.markFree(wish, 'cancelled', null);
    const assertLease = () => claims.release(key);
    await withdrawing(name, connector, 'second', 'delete', { assertLease });
    expect(await claims.read(key)).toBeNull();
  });

  it('a withdrawal keeps ids that another run leaves in the claim while the withdrawal starts', async () => {
    const connector = bucket();
    const name = await delivered(connector);
    const { claims } = storeOn(connector, 'other');
    const wish = { key, version: '2-2', recipe, shard: 3, platformIds: { modelId: 'm2' } };
    const assertLease = async () => {
      if ((await claims.read(key)) === null) await claims.markFree(wish, 'cancelled', null);
    };
    await withdrawing(name, connector, 'second', 'delete', { assertLease });
    expect(await claims.read(key)).toMatchObject({
      state: 'cancelled',
      version: '2-2',
      platformIds: { modelId: 'm2' },
    });
  });

  it('a withdrawal keeps the claim that a failed attempt left for a later file version', async () => {
    const connector = bucket();
    const name = await delivered(connector);
    const { claims } = storeOn(connector, 'other');
    const wish = { key, version: '2-2', recipe, shard: 3, platformIds: { modelId: 'm2' } };
    await claims.claim(wish, { isAlive: async () => true });
    const failure = { key, node: 'shots', code: 'RENDER_FAILED', message: 'no', attempts: 1 };
    await claims.markFree(wish, 'failed', failure);
    await withdrawing(name, connector, 'second', 'delete');
    expect(await filesOn(connector)).toEqual({});
    expect(await claims.read(key)).toMatchObject({
      state: 'failed',
      version: '2-2',
      recipe,
      platformIds: { modelId: 'm2' },
      failure,
    });
  });

  it('a withdrawal keeps a file that now belongs to another asset', async () => {
    const connector = bucket();
    const name = await delivered(connector);
    const path = 'shoe/front.png';
    const place = connector.describe();
    await storeOn(connector, 'other').pathOwners.claim([{ destination: place, path, key: 'boot' }]);
    const answer = await withdrawing(name, connector, 'second', 'delete');
    expect(answer).toMatchObject({ deleted: 1, isWithdrawn: true, warnings: [] });
    expect(await filesOn(connector)).toEqual({ [path]: contents[path] });
  });

  it('a withdrawal is completed by the next run if a file could not be read', async () => {
    class BusyConnector extends MemoryConnector {
      isBusy = true;
      override async stat(path: string) {
        if (!this.isBusy || path !== 'shoe/front.png') return super.stat(path);
        this.isBusy = false;
        throw new ConnectorError('FILE_BUSY', path, 'somebody writes it', 'wait');
      }
    }
    const connector = new BusyConnector(new MemoryBucket());
    const name = await delivered(connector);
    expect(await withdrawing(name, connector, 'second', 'delete')).toMatchObject({
      deleted: 1,
      isWithdrawn: false,
      warnings: ['shoe/front.png was kept: somebody writes it'],
    });
    expect(await statesOn(connector, name)).toEqual(['leaving']);
    // As after a crash, the attempt that ends a withdrawal counts all of its files.
    expect(await withdrawing(name, connector, 'third', 'delete')).toMatchObject({
      deleted: 2,
      isWithdrawn: true,
      warnings: [],
    });
    expect(await filesOn(connector)).toEqual({});
  });

  it('a withdrawal keeps a file that was replaced, with a warning', async () => {
    const connector = bucket();
    const name = await delivered(connector);
    await connector.write('shoe/front.png', Buffer.from('my front!'));
    const answer = await withdrawing(name, connector, 'second');
    expect(answer).toMatchObject({
      archived: 1,
      isWithdrawn: true,
      warnings: [
        expect.stringContaining(
          'shoe/front.png was kept, because somebody has replaced the delivered file',
        ),
      ],
    });
    expect(await filesOn(connector)).toEqual({
      'shoe/front.png': 'my front!',
      'archive/shoe/back.png': contents['shoe/back.png'],
    });
  });
});

describe('the AR file that colorways share', () => {
  const bucket = () => new MemoryConnector(new MemoryBucket());
  const pathsOf = async (connector: MemoryConnector, name: string) =>
    (await storeOn(connector, 'look').records.read(name))?.files.map(({ path }) => path);

  it.each(['archive', 'delete'] as const)(
    'the AR file is withdrawn by `%s` together with the last colorway',
    async (policy) => {
      const connector = bucket();
      const [oak, navy] = await deliveredCells(connector, 'Oak', 'Navy');
      const done = { isWithdrawn: true, warnings: [] };
      expect(await withdrawing(oak, connector, 'second', policy)).toMatchObject(done);
      expect(await filesOn(connector)).toHaveProperty([arFile]);
      // File checks and the manifest find the AR file in the record of the other colorway.
      const { records } = storeOn(connector, 'look');
      const { files, platformIds } = (await records.read(navy)) ?? {};
      expect(files).toMatchObject([
        { path: 'chair/Navy.png' },
        { path: arFile, key: 'chair@Navy' },
      ]);
      expect(platformIds?.modelFiles).toMatchObject([{ key: 'chair@Navy' }]);
      expect(await pathsOf(connector, nameInState(oak, 'withdrawn'))).not.toContain(arFile);
      expect(await withdrawing(navy, connector, 'third', policy)).toMatchObject(done);
      const prefix = policy === 'archive' ? ['archive/'] : [];
      const gone = [arFile, 'chair/Navy.png', 'chair/Oak.png'];
      expect(Object.keys(await filesOn(connector)).sort()).toEqual(
        prefix.flatMap((folder) => gone.map((path) => folder + path)),
      );
    },
  );

  it('the AR file is withdrawn if all colorways are withdrawn in one run', async () => {
    const connector = bucket();
    for (const name of await deliveredCells(connector, 'Oak', 'Navy', 'Moss')) {
      await withdrawing(name, connector, 'second', 'delete');
    }
    expect(await filesOn(connector)).toEqual({});
  });

  it('the cells of a model are listed twice, however many of them one run withdraws', async () => {
    const memory = new MemoryBucket();
    const colorways = Array.from({ length: 12 }, (_, index) => `Colour ${index}`);
    const names = await deliveredCells(new MemoryConnector(memory), ...colorways);
    let listings = 0;
    const counted = new MemoryConnector(memory, async (operation, path) => {
      if (operation === 'list' && path.endsWith('/records')) listings += 1;
    });
    const cells = new ModelCells();
    for (const name of names)
      expect(await withdrawing(name, counted, 'second', 'delete', { cells })).toMatchObject({
        isWithdrawn: true,
      });
    expect(await filesOn(counted)).toEqual({});
    expect(listings).toBe(2);
  });

  it('the AR file stays if another run has delivered a colorway during the withdrawal', async () => {
    const connector = bucket();
    const [oak, navy] = await deliveredCells(connector, 'Oak', 'Navy');
    const cells = new ModelCells();
    await withdrawing(oak, connector, 'second', 'delete', { cells });
    const { records } = storeOn(connector, 'other');
    const record = await records.read(navy);
    if (record === null) throw new Error('the record is missing');
    const source = inCell(sourceOf('chair'), 'chair', colorway('Moss'));
    await records.write({ ...record, key: 'chair@Moss', source, files: [] });
    await withdrawing(navy, connector, 'second', 'delete', { cells });
    expect(await filesOn(connector)).toEqual({ [arFile]: 'the chair' });
  });

  it('the AR file is withdrawn with the last colorway if no record lists it', async () => {
    const connector = bucket();
    const [oak, navy] = await deliveredCells(connector, 'Oak', 'Navy');
    await storeOn(connector, 'other').records.remove(oak);
    await withdrawing(navy, connector, 'second', 'delete');
    expect(await filesOn(connector)).toEqual({ 'chair/Oak.png': 'Oak' });
  });

  it('the AR file is withdrawn even if the model owns its path', async () => {
    const connector = bucket();
    const [oak] = await deliveredCells(connector, 'Oak');
    const destination = connector.describe();
    const { pathOwners } = storeOn(connector, 'other');
    await pathOwners.claim([{ destination, path: arFile, key: 'chair' }]);
    await withdrawing(oak, connector, 'second', 'delete');
    expect(await filesOn(connector)).toEqual({});
  });

  it('the AR file stays in the record of a withdrawn colorway while another run works on the others', async () => {
    const connector = bucket();
    const [oak, navy] = await deliveredCells(connector, 'Oak', 'Navy');
    const { claims } = storeOn(connector, 'other');
    await claims.claim({ key: 'chair@Navy', version: '1-1', shard: 0 }, dead);
    expect(await withdrawing(oak, connector, 'second', 'delete', alive)).toMatchObject({
      deleted: 1,
      isWithdrawn: false,
    });
    expect(await pathsOf(connector, nameInState(oak, 'leaving'))).toContain(arFile);
    await claims.release('chair@Navy');
    expect(await withdrawing(oak, connector, 'third', 'delete')).toMatchObject({
      isWithdrawn: true,
    });
    expect(await pathsOf(connector, navy)).toContain(arFile);
    expect(await filesOn(connector)).toHaveProperty([arFile]);
  });

  it('the AR file is listed in exactly one record at whatever point a worker dies', async () => {
    let deaths = 0;
    for (const when of ['before', 'after'] as const) {
      for (let at = 1; ; at += 1) {
        const connector = bucket();
        const [oak, navy, moss] = await deliveredCells(connector, 'Oak', 'Navy', 'Moss');
        const died = await withdrawing(oak, dying(connector, at, when), 'second', 'delete').then(
          () => false,
          (error: unknown) => error instanceof Killed,
        );
        for (const run of ['second', 'third']) await withdrawing(oak, connector, run, 'delete');
        expect(await filesOn(connector), `${when} ${at}`).toHaveProperty([arFile]);
        expect(await statesOn(connector, oak), `${when} ${at}`).toEqual(['withdrawn']);
        const owned = await Promise.all([navy, moss].map((name) => pathsOf(connector, name)));
        expect(owned.flat().filter((path) => path === arFile)).toHaveLength(1);
        const { claims } = storeOn(connector, 'look');
        for (const name of ['Oak', 'Navy', 'Moss'])
          expect(await claims.read(`chair@${name}`), `${when} ${at}`).toBeNull();
        if (!died) break;
        deaths += 1;
      }
    }
    expect(deaths).toBeGreaterThan(10);
  });
});
