// Two assets that swap their file names, as when two SKUs of a table were mixed up.
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { removeRenamed } from '../../src/features/delivery/remove-renamed.ts';
import { openRunStore } from '../../src/features/run-store.ts';
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
  const { platformIds, ...one } = delivery.rendered(key, delivery.output(key, 'Front'));
  delivery.platform.pictures.set(`${key}.png`, pictureOf(key));
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

/** `a` is delivered as one.png and `b` as two.png; the returned run delivers them under each other's name. */
async function swapped() {
  const step = { id: 'step', node: 'step', batch: 50, redo: null, delivery: mark } as never;
  await storeOf('first').recipes.write('r', stages);
  const deliver = (run: string, assets: StepAsset[], supersede?: 'keep') =>
    delivery.run(naming, assets, {
      store: storeOf(run),
      run: runContext({ run }),
      step,
      ...(supersede && { supersede }),
    });
  const [a, b] = await deliver('first', [named('a', 'one'), named('b', 'two')]);
  const names = [await recordOf('a', filesOf(a)), await recordOf('b', filesOf(b))];
  const store = storeOf('second');
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
