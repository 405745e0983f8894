import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { rowFailures } from '../../src/failures/rows.ts';
import { createMissingSourceFinder } from '../../src/features/delivery/withdrawal/find-missing-sources.ts';
import { ExpressionError } from '../../src/language/expressions.ts';
import type { Plan } from '../../src/plan/types.ts';
import type { WithdrawalRules } from '../../src/plan/withdrawal.ts';
import {
  type DiscoverySource,
  discoverPage,
  discoverRun,
  previewDiscovery,
} from '../../src/store/discovery/discover-run.ts';
import type { Grid } from '../../src/store/discovery/grid/grid.ts';
import type { SourceLocation } from '../../src/store/discovery/moves/missing-sources.ts';
import { RerunSelection } from '../../src/store/discovery/rerun-selection.ts';
import type { Rows } from '../../src/store/discovery/rows/rows.ts';
import { putFile } from '../connectors/_temp-folder.ts';
import { fileOf, mark, rulesOf } from '../features/_withdrawal.ts';
import { inOak } from '../plan/_cells.ts';
import { longAgoMs, modelsFolder, reasons } from './_models-folder.ts';
import { storesOver } from './_store.ts';

interface Wish {
  rules?: WithdrawalRules;
  place?: Partial<SourceLocation>;
  all?: boolean;
}

/** A folder whose models were delivered, each as one file. */
async function deliveredFolder(models: readonly string[], grid: Grid | null = null) {
  const files = Object.fromEntries(models.map((model) => [`${model}.glb`, model]));
  const folder = await modelsFolder(files);
  const { connector, storeOf, source, deliver } = folder;
  await deliver('first', {
    grid,
    made: (key) => ({ files: [{ ...fileOf(`${key}.png`, key), key, delivery: mark }] }),
  });
  const sourceWith = ({ rules = rulesOf('archive'), place = {}, all = false }: Wish) => {
    const at = { connector, mark: 'here', hasGrid: false, ...place };
    const findMissingSources = createMissingSourceFinder({
      node: 'take',
      rules,
      location: at,
      withdrawAll: all,
    });
    return { ...source, location: at.mark, findMissingSources };
  };
  const run = { parameters: {}, shardSize: 10 };
  /** Names of the records that a run withdraws, and its warnings. */
  async function second(wish: Wish = {}, more: Partial<DiscoverySource> = {}) {
    const store = storeOf('second');
    const found = await discoverRun(store, { ...sourceWith(wish), ...run, ...more });
    const names = await store.withdrawals.read();
    const keys = names.map((name) => name.slice(0, name.indexOf('@'))).sort();
    expect(found.withdraws ?? 0).toBe(keys.length);
    return { keys, warnings: found.warnings ?? [] };
  }
  const remove = (...gone: string[]) =>
    Promise.all(gone.map((model) => rm(join(folder.folder, `${model}.glb`))));
  return { ...folder, sourceWith, second, remove, run };
}

describe('assets that a run withdraws', () => {
  it('delivered assets whose source is missing are withdrawn', async () => {
    const { second, remove } = await deliveredFolder(['a', 'b', 'c']);
    await remove('b');
    expect(await second()).toEqual({ keys: ['b'], warnings: [] });
  });

  it('only the assets from the last discovery are withdrawn, even if a dead worker had listed more', async () => {
    const { withdrawals } = storesOver()('second');
    const manyNames = Array.from({ length: 5 }, (_, at) => `${at}`.repeat(1_000_000));
    await withdrawals.write(manyNames);
    await withdrawals.write(['b']);
    expect((await withdrawals.read()).map((name) => name.slice(0, 5))).toEqual(['b']);
  });

  it('assets that the last page of a long listing finds missing are withdrawn', async () => {
    const { storeOf, sourceWith, run, remove } = await deliveredFolder(['a', 'b', 'c', 'd']);
    await remove('b');
    const store = storeOf('second');
    const source = { ...sourceWith({}), ...run };
    const first = await discoverPage(store, source, 0, { names: 2 });
    expect(first).not.toHaveProperty('withdraws');
    const last = await discoverPage(store, source, 1, { names: 2 });
    expect(last).toMatchObject({ withdraws: 1 });
    expect(await store.withdrawals.read()).toEqual([expect.stringMatching(/^b@/)]);
  });

  it.each<[string, Partial<DiscoverySource>]>([
    [
      'a person has selected assets',
      { selector: { isSelected: () => true, isRefusedSelected: () => true } as never },
    ],
    ['it is a rerun', { rerunSelection: new RerunSelection('first', []) }],
  ])('nothing is withdrawn if %s', async (_why, more) => {
    const { second, remove } = await deliveredFolder(['a', 'b']);
    await remove('b');
    expect(await second({}, more)).toMatchObject({ keys: [] });
  });

  it('nothing is withdrawn if part of the listing was refused', async () => {
    const { second, remove, source } = await deliveredFolder(['a', 'b']);
    await remove('b');
    const { lister } = source;
    const failures = [{ key: 'x', node: 'take', code: 'UNREADABLE', message: '', attempts: 0 }];
    const list = async (signal: AbortSignal | undefined) => ({
      ...(await lister.list(signal)),
      failures,
    });
    expect((await second({ all: true }, { lister: { ...lister, list } })).keys).toEqual([]);
  });

  it('assets of files that exist but are not listed are not withdrawn', async () => {
    const { second, source } = await deliveredFolder(['a', 'b']);
    const { lister } = source;
    const list = async (signal: AbortSignal | undefined) => {
      const { sources, failures } = await lister.list(signal);
      return { sources: sources.slice(0, 1), failures };
    };
    expect((await second({}, { lister: { ...lister, list } })).keys).toEqual([]);
  });

  it('assets whose files have a new key are not withdrawn', async () => {
    const { second } = await deliveredFolder(['a', 'b']);
    expect((await second({}, { keyOf: ({ path }) => `new/${path}` })).keys).toEqual([]);
  });

  it('assets of an emptied source are withdrawn only with --withdraw-all', async () => {
    const { second, remove } = await deliveredFolder(['a', 'b']);
    await remove('a', 'b');
    const { keys, warnings } = await second();
    expect(keys).toEqual([]);
    expect(warnings).toMatchObject([{ message: expect.stringContaining('--withdraw-all') }]);
    const other = await deliveredFolder(['a', 'b']);
    await other.remove('a', 'b');
    expect(await other.second({ all: true })).toEqual({ keys: ['a', 'b'], warnings: [] });
  });
});

describe('the limit of withdrawn assets', () => {
  const models = Array.from({ length: 12 }, (_, index) => `m${String(index).padStart(2, '0')}`);

  it('the limit is five of twelve by default', async () => {
    const { second, remove } = await deliveredFolder(models);
    await remove(...models.slice(0, 5));
    expect((await second()).keys).toHaveLength(5);
  });

  it('all assets are kept if one more is missing, with a warning', async () => {
    const { second, remove } = await deliveredFolder(models);
    await remove(...models.slice(0, 6));
    const { keys, warnings } = await second();
    expect(keys).toEqual([]);
    expect(warnings).toEqual([
      {
        key: 'take',
        message: expect.stringMatching(
          /^TOO_MANY_WITHDRAWN: 6 assets of 12 on record are missing .* 5 may be withdrawn.*limits\.withdrawn.*--withdraw-all/,
        ),
      },
    ]);
  });

  it('the limit can be set in the file, and does not apply with --withdraw-all', async () => {
    const { second, remove } = await deliveredFolder(models);
    await remove(...models.slice(0, 6));
    expect((await second({ rules: { ...rulesOf('delete'), max: 6 } })).keys).toHaveLength(6);
    const other = await deliveredFolder(models);
    await other.remove(...models.slice(0, 6));
    expect((await other.second({ all: true })).keys).toHaveLength(6);
  });
});

it('a source whose name changed only in case is not missing, since both names are one file on some disks', async () => {
  const { second, remove, folder } = await deliveredFolder(['Chair', 'lamp']);
  await remove('Chair');
  await putFile(folder, 'chair.glb', 'x', longAgoMs);
  expect((await second()).keys).toEqual([]);
});

describe('a pipeline whose runs list different locations', () => {
  it('assets of another location are not withdrawn', async () => {
    const { second, remove, storeOf, sourceWith, run, folder } = await deliveredFolder(['a']);
    // The asset was delivered from that location, by a run that stores the location.
    await putFile(folder, 'b.glb', 'b');
    await discoverRun(storeOf('other'), { ...sourceWith({ place: { mark: 'there' } }), ...run });
    const { records } = storeOf('other');
    for await (const { record } of records.all()) {
      if (record) await records.write({ ...record, run: 'other' });
    }
    await remove('a');
    expect((await second()).keys).toEqual([]);
  });

  it('assets of a run whose manifest was deleted are not withdrawn', async () => {
    const { second, remove, folder } = await deliveredFolder(['a', 'b']);
    await rm(join(folder, '.renderline/shoes/runs'), { recursive: true });
    await remove('a');
    expect((await second()).keys).toEqual([]);
  });
});

describe('a refused model', () => {
  const failing: Grid = {
    ...inOak,
    cellsOf(model, source) {
      if (model === 'b') throw new ExpressionError('asset.path.split("/")[1]', 'out of bounds');
      return inOak.cellsOf(model, source);
    },
  };
  const invalid: Rows = {
    isForKeys: false,
    rowOf: (key, { cell }) =>
      cell && key === 'b'
        ? { failure: rowFailures.ROW_INVALID, message: 'why' }
        : { row: { values: {} } },
    version: '1',
    assertVersion: () => undefined,
    unusedWarnings: () => [],
  };

  it.each<[string, Partial<DiscoverySource>]>([
    ['EXPRESSION_FAILED', { grid: failing }],
    ['ROW_INVALID', { grid: inOak, rows: invalid }],
  ])(
    'a model that is refused with %s is the only failure, and its cells are not withdrawn',
    async (code, more) => {
      const { folder, storeOf, sourceWith } = await deliveredFolder(['a', 'b'], inOak);
      await putFile(folder, 'c.glb', 'c', longAgoMs);
      const source = sourceWith({ place: { hasGrid: true } });
      const found = await previewDiscovery(storeOf('later'), { ...source, ...more });
      expect(reasons(found)).toEqual({ 'c@Oak': 'new' });
      expect(found).toMatchObject({
        refused: [{ key: 'b.glb', code }],
        missingSources: { records: [] },
      });
    },
  );
});

describe('an export', () => {
  it('an export with the policy `keep` withdraws nothing', async () => {
    const { second, remove } = await deliveredFolder(['a', 'b']);
    await remove('a');
    const connector = 'pictures';
    const rules = {
      exports: { other: { connector, policy: 'delete' }, [mark]: { connector, policy: 'keep' } },
    };
    expect((await second({ rules: rules as NonNullable<Plan['withdrawn']> })).keys).toEqual([]);
  });
});
