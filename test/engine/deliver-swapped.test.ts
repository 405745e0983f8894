// Two assets that swap their file names, as when two SKUs of a table were mixed up.
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Semaphore } from '../../src/engine/transfer-semaphore.ts';
import { removeRenamed } from '../../src/features/delivery/remove-renamed.ts';
import { openRunStore } from '../../src/features/run-store.ts';
import { workStages } from '../../src/plan/stages.ts';
import type {
  AssetResult,
  AssetSource,
  DeliveredFile,
  Stages,
  StepAsset,
} from '../../src/plan/types.ts';
import type { RunStore } from '../../src/store/runs/run-store.ts';
import { noStages } from '../plan/_steps.ts';
import { sourceOf, withManifest } from '../store/_store.ts';
import { runContext } from './_context.ts';
import { codes, paths, useDelivery } from './_delivery.ts';

const delivery = useDelivery();
const naming = '{{ project }}.{{ ext }}';
const mark = 'of-export';
const stages: Stages = {
  ...noStages,
  deliveries: { step: { fingerprint: mark, connector: 'out' } },
};

/** An asset with a picture of its own, under the SKU. */
function named(key: string, sku: string): StepAsset {
  const asset = renderedAs(key, sku);
  delivery.platform.pictures.set(`${key}.png`, pictureOf(key));
  return asset;
}

/** An asset with a picture that the platform does not have. */
function renderedAs(key: string, sku: string): StepAsset {
  const { platformIds, ...one } = delivery.rendered(key, delivery.output(key, 'Front'));
  delivery.platform.pictures.delete(`${key}.png`);
  return { ...one, platformIds: { ...platformIds, projectId: sku } };
}

/** Bytes behind the end of a PNG are ignored, so each asset's picture has its own hash. */
const pictureOf = (key: string) => Buffer.concat([delivery.picture, Buffer.from(key)]);
const sha256Of = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

const filesOf = (result: AssetResult | undefined) =>
  result && 'files' in result ? (result.files ?? []) : [];

function storeOf(run: string): RunStore {
  return openRunStore(delivery.records, runContext({ run }));
}

async function recordOf(
  key: string,
  files: readonly DeliveredFile[],
  source: AssetSource = sourceOf(key),
): Promise<string> {
  return storeOf('first').records.write({
    key,
    source,
    recipe: 'r',
    platformIds: {},
    files: [...files],
    run: 'first',
    lineage: 'first',
    finishedAt: '2026-01-01T00:00:00Z',
  });
}

/**
 * Delivers for two runs. Each file is read and written before the next one, so a file may be replaced before another
 * asset needs it.
 */
async function createRuns() {
  const step = { id: 'step', node: 'step', batch: 50, redo: null, delivery: mark } as never;
  await storeOf('first').recipes.write('r', stages);
  const deliver = (run: string, assets: StepAsset[], supersede?: 'keep') =>
    delivery.run(naming, assets, {
      store: storeOf(run),
      run: runContext({ run, connectors: { out: { type: 'local' } } }),
      step,
      transfers: Semaphore.of(1),
      ...(supersede && { supersede }),
    });
  return { store: storeOf('second'), deliver };
}

/** `a` is delivered as one.png and `b` as two.png; the returned run delivers them under each other's name. */
async function swapped() {
  const { store, deliver } = await createRuns();
  const [a, b] = await deliver('first', [named('a', 'one'), named('b', 'two')]);
  const names = [await recordOf('a', filesOf(a)), await recordOf('b', filesOf(b))];
  await store.recipes.write('r', stages);
  await withManifest(
    store,
    ['a', 'b'].map((key, at) => ({
      key,
      source: sourceOf(key, '2-2'),
      reason: 'changed' as const,
      previous: [names[at] ?? ''],
    })),
  );
  const run = (...assets: StepAsset[]) => deliver('second', assets);
  const runWithKeep = (...assets: StepAsset[]) => deliver('second', assets, 'keep');
  return { run, runWithKeep, store };
}

async function hashes(): Promise<Record<string, string>> {
  const found = await delivery.files();
  const read = found.map(async (path) => [path, sha256Of(await delivery.connector.read(path))]);
  return Object.fromEntries(await Promise.all(read));
}

describe('two assets that swap their names', () => {
  it('two assets can swap names in one call without losing a picture', async () => {
    const { run, store } = await swapped();
    const results = await run(named('a', 'two'), named('b', 'one'));
    expect(paths(results)).toEqual(['two.png', 'one.png']);
    const expected = { 'one.png': sha256Of(pictureOf('b')), 'two.png': sha256Of(pictureOf('a')) };
    expect(await hashes()).toEqual(expected);
    for (const [index, key] of ['a', 'b'].entries()) {
      const [file] = filesOf(results[index]);
      const files = file ? [{ ...file, previousPath: key === 'a' ? 'one.png' : 'two.png' }] : [];
      await removeRenamed(
        { key, source: sourceOf(key), files },
        {
          store,
          getConnector: () => delivery.connector,
          signal: new AbortController().signal,
          assertLease: async () => undefined,
        },
      );
    }
    expect(await hashes()).toEqual(expected);
  });

  it('two assets can swap names one after the other if different calls deliver them', async () => {
    const { run } = await swapped();
    expect(codes(await run(named('a', 'two')))).toEqual(['OUTPUT_PATH_TAKEN']);
    expect(codes(await run(named('b', 'one')))).toEqual(['done']);
    expect(codes(await run(named('a', 'two')))).toEqual(['done']);
    expect(await hashes()).toEqual({
      'one.png': sha256Of(pictureOf('b')),
      'two.png': sha256Of(pictureOf('a')),
    });
  });

  it('two assets cannot swap names if the export keeps old files', async () => {
    const { runWithKeep } = await swapped();
    const results = await runWithKeep(named('a', 'two'), named('b', 'one'));
    expect(codes(results)).toEqual(['OUTPUT_PATH_TAKEN', 'OUTPUT_PATH_TAKEN']);
  });
});

describe('assets whose delivered pictures the platform no longer has', () => {
  /** Delivers the assets under other names. They find their pictures only at their earlier names. */
  async function renamed(skus: Record<string, [before: string, now: string]>) {
    const names = Object.entries(skus);
    const { store, deliver } = await createRuns();
    const first = await deliver(
      'first',
      names.map(([key, [before]]) => named(key, before)),
    );
    const records = first.map((result, index) =>
      recordOf(names[index]?.[0] ?? '', filesOf(result)),
    );
    const previous = await Promise.all(records);
    await withManifest(
      store,
      names.map(([key], index) => ({
        key,
        source: sourceOf(key),
        reason: 'recipe' as const,
        previous: [previous[index] ?? ''],
      })),
    );
    delivery.platform.pictures.clear();
    const reusableStages = workStages;
    const assets = names.map(([key, [, now]]) => {
      const { platformIds, ...asset } = renderedAs(key, now);
      return { ...asset, platformIds: { ...platformIds, reusableStages } };
    });
    return deliver('second', assets);
  }

  it.each([
    ['swap their names', { a: ['one', 'two'], b: ['two', 'one'] }],
    ['pass their names on', { a: ['one', 'two'], b: ['two', 'three'], c: ['three', 'four'] }],
    [
      'pass their names on in a circle',
      { a: ['one', 'two'], b: ['two', 'three'], c: ['three', 'one'] },
    ],
  ] satisfies [string, Record<string, [string, string]>][])('can %s', async (_, skus) => {
    expect(codes(await renamed(skus))).toEqual(Object.keys(skus).map(() => 'done'));
    const expected = Object.entries(skus).map(([key, [, now]]) => [
      `${now}.png`,
      sha256Of(pictureOf(key)),
    ]);
    expect(await hashes()).toMatchObject(Object.fromEntries(expected));
  });
});

it('a picture that an earlier name of the key has replaced is not taken for the delivered one', async () => {
  const { store, deliver } = await createRuns();
  const [first] = await deliver('first', [named('a', 'one')]);
  // The key had this recipe before, so that its record is delivered again although its file was replaced.
  const previous = [await recordOf('a', filesOf(first))];
  const context = runContext({ run: 'second' });
  const record = await store.records.read(previous[0] ?? '');
  if (!record) throw new TypeError('the record was just written');
  const current = { ...record, recipe: context.recipe };
  previous[0] = await store.records.write(current, previous);
  await withManifest(store, [{ key: 'a', source: sourceOf('a'), reason: 'recipe', previous }]);
  await delivery.connector.write('one.png', pictureOf('other'));
  const { platformIds, ...asset } = named('a', 'one');
  const ids = { ...platformIds, reusableStages: workStages };
  expect(codes(await deliver('second', [{ ...asset, platformIds: ids }]))).toEqual(['done']);
  expect(await hashes()).toEqual({ 'one.png': sha256Of(pictureOf('a')) });
});

describe('the file name of a renamed asset', () => {
  /** `old` was delivered as one.png, and is called `renamed` now. Its file name goes to the new asset `b`. */
  async function renamedAsset(supersede?: 'keep') {
    const { store, deliver } = await createRuns();
    const [first] = await deliver('first', [named('old', 'one')]);
    const record = await recordOf('old', filesOf(first));
    const moved = { key: 'old', record, isKeyUnused: true };
    await withManifest(store, [
      { key: 'renamed', source: sourceOf('renamed'), reason: 'recipe', moved },
      { key: 'b', source: sourceOf('b'), reason: 'new' },
    ]);
    const { platformIds, ...asset } = renderedAs('old', 'two');
    const ids = { ...platformIds, reusableStages: workStages };
    const run = (...assets: StepAsset[]) => deliver('second', assets, supersede);
    return { run, renamed: { ...asset, key: 'renamed', platformIds: ids } };
  }

  it('can be used by another asset of the same call', async () => {
    const { run, renamed } = await renamedAsset();
    expect(codes(await run(named('b', 'one'), renamed))).toEqual(['done', 'done']);
    const expected = { 'one.png': sha256Of(pictureOf('b')), 'two.png': sha256Of(pictureOf('old')) };
    expect(await hashes()).toEqual(expected);
  });

  it('can be used by another asset of the same run, once the renamed one is delivered', async () => {
    const { run, renamed } = await renamedAsset();
    expect(codes(await run(renamed))).toEqual(['done']);
    expect(codes(await run(named('b', 'one')))).toEqual(['done']);
  });

  it('stays with it if the export keeps old files', async () => {
    const { run, renamed } = await renamedAsset('keep');
    expect(codes(await run(renamed, named('b', 'one')))).toEqual(['done', 'OUTPUT_PATH_TAKEN']);
  });
});

describe('a new row with the file name of a row that is gone', () => {
  /** `a` was delivered as one.png, and its row is gone. The new row `b` wants the name. */
  async function renamedRow(isWithdrawn: boolean, supersede: 'remove' | 'keep') {
    const { run, runWithKeep, store } = await swapped();
    const [record] = (await run(named('a', 'one'))).map((result) =>
      recordOf('a', filesOf(result), { ...sourceOf('a'), rowKey: 'a' }),
    );
    if (isWithdrawn) await store.withdrawals.write([(await record) ?? '']);
    return (supersede === 'keep' ? runWithKeep : run)(named('b', 'one'));
  }

  describe.each(['remove', 'keep'] as const)('in an export with `supersede: %s`', (supersede) => {
    it('the new row gets the name if this run withdraws the other one', async () => {
      expect(codes(await renamedRow(true, supersede))).toEqual(['done']);
      expect((await hashes())['one.png']).toBe(sha256Of(pictureOf('b')));
    });

    it('the new row is refused if nothing is withdrawn', async () => {
      expect(codes(await renamedRow(false, supersede))).toEqual(['OUTPUT_PATH_TAKEN']);
    });
  });
});
