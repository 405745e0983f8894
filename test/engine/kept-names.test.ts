// Assets that are new to a run, and whose file names belong to delivered assets that the run does not list. They are
// refused before anything is paid for.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { LocalConnector } from '../../src/connectors/local.ts';
import { compileSelection } from '../../src/engine/discovery/compile-selection.ts';
import { toUnkeyedObject } from '../../src/engine/discovery/platform-objects.ts';
import { predictPaths } from '../../src/features/delivery/file-names.ts';
import type { Delivery } from '../../src/plan/run/deliveries.ts';
import {
  type DiscoverySource,
  discoverRun,
  previewDiscovery,
} from '../../src/store/discovery/discover-run.ts';
import type { MissingSource } from '../../src/store/discovery/moves/missing-sources.ts';
import { RerunSelection } from '../../src/store/discovery/rerun-selection.ts';
import type { UnfinishedAsset } from '../../src/store/discovery/unfinished-assets.ts';
import { decodeKey } from '../../src/store/objects/object-name.ts';
import { keyPartOf } from '../../src/store/records/records.ts';
import type { WithdrawalState } from '../../src/store/records/withdrawal-state.ts';
import { collect, putFile } from '../connectors/_temp-folder.ts';
import { fileOf } from '../features/_withdrawal.ts';
import { colorway, inCell } from '../plan/_cells.ts';
import { modelsFolder } from '../store/_models-folder.ts';

const connectors = { pictures: { type: 'local', path: '/out' } };

const delivery = (naming: string, more: Partial<Delivery> = {}): Delivery => ({
  connector: 'pictures',
  naming,
  isUnconditional: true,
  ...more,
});

const keysOf = ({ assets }: Awaited<ReturnType<typeof previewDiscovery>>) =>
  assets.map(({ key }) => key);
const grid = (colorways: readonly string[]): NonNullable<DiscoverySource['grid']> => ({
  keysOf: (model) => colorways.map((name) => `${model}@${name}`),
  cellsOf: (model, source) =>
    colorways.map((name) => ({
      key: `${model}@${name}`,
      source: inCell(source, model, colorway(name)),
    })),
  failuresOf: () => [],
  locate: () => '',
});

it('a run reports warnings about the names of its files', async () => {
  const folder = await modelsFolder({ 'mug.glb': 'x' });
  const findNameWarnings: DiscoverySource['findNameWarnings'] = (assets) =>
    assets.map(({ key }) => ({ key, message: 'the name is odd' }));
  const source = { ...folder.source, findNameWarnings, parameters: {}, shardSize: 2 };
  const { warnings } = await discoverRun(folder.storeOf('first'), source);
  expect(warnings).toEqual([{ key: 'mug', message: 'the name is odd' }]);
});

describe('a colorway that was renamed', () => {
  const deliveries = [delivery('{{ row.sku }}_{{ index }}.{{ ext }}')];
  const naming = (sku: string) => `${sku}_1.png`;
  const withSku = (name: string): NonNullable<DiscoverySource['grid']> => {
    const { cellsOf, ...rest } = grid([name]);
    const row = { values: { sku: 'A1' } };
    return {
      ...rest,
      cellsOf: (model, source) =>
        cellsOf(model, source).map(({ key, source: of }) => ({ key, source: { ...of, row } })),
    };
  };

  async function renamed(
    more: Partial<DiscoverySource> = {},
    delivered = naming('A1'),
    state: WithdrawalState | null = null,
  ) {
    const folder = await modelsFolder({ 'mug.glb': 'x' });
    const made = (key: string) => ({
      platformIds: { modelId: 'm' },
      files: [{ ...fileOf(delivered, key), key }],
    });
    await folder.deliver('first', { grid: withSku('Navy'), made });
    const { records, pathOwners } = folder.storeOf('first');
    const destination = folder.connector.describe();
    await pathOwners.claim([{ destination, path: delivered, key: 'mug@Navy' }]);
    const record = await records.find('mug@Navy');
    if (record && state) {
      const withdrawn = { state, run: 'first', at: record.finishedAt, archived: 0, deleted: 1 };
      const names = await collect(records.names());
      await records.write({ ...record, withdrawn }, names);
    }
    return previewDiscovery(folder.storeOf('later'), {
      ...folder.source,
      planPaths: (one) => predictPaths(deliveries, connectors, one),
      comparesAllNames: true,
      grid: withSku('Navy blue'),
      ...more,
    });
  }

  /** A run that withdraws the assets with these keys. */
  const withdrawing = (...keys: string[]): Partial<DiscoverySource> => ({
    findMissingSources: async () => ({
      records: keys.map((key) => ({ entry: {}, record: { key } }) as MissingSource),
      warnings: [],
    }),
  });

  it.each<[string, Partial<DiscoverySource>, WithdrawalState?]>([
    ['nothing is withdrawn', {}],
    ['an earlier run has begun to withdraw the old colorway', {}, 'leaving'],
    ['the run withdraws other assets', withdrawing('mug@Red')],
    ['a person selects the new colorway', { selector: compileSelection({ only: ['mug*'] }) }],
  ])('the new colorway is refused before it is paid for if %s', async (_, more, state) => {
    const { assets, classified, refusedCells, refused, counts } = await renamed(
      more,
      naming('A1'),
      state,
    );
    expect([assets, classified, refusedCells, refused, counts]).toMatchObject([
      [],
      [],
      [{ key: 'mug@Navy blue' }],
      [
        {
          key: 'mug.glb',
          code: 'OUTPUT_PATH_TAKEN',
          message: expect.stringMatching(
            /"A1_\{\{ index \}\}.\{\{ ext \}\}", which belongs to "mug@Navy"\. This row or cell no longer exists/,
          ),
        },
      ],
      { total: 1, new: 0, changed: 0, unchanged: 0 },
    ]);
  });

  it.each<[string, Partial<DiscoverySource>, string, WithdrawalState?]>([
    ['the run withdraws the old colorway', withdrawing('mug@Navy'), naming('A1')],
    ['the old colorway was withdrawn', {}, naming('A1'), 'withdrawn'],
    ['the files of the old colorway have other names', {}, 'old/A1_1.png'],
  ])('the new colorway is taken if %s', async (_, more, delivered, state) => {
    expect(keysOf(await renamed(more, delivered, state))).toEqual(['mug@Navy blue']);
  });

  it('the new colorway is taken if the old one was delivered to another destination', async () => {
    const elsewhere = new LocalConnector({ type: 'local', path: '/elsewhere' });
    const found = await renamed({ getConnector: () => elsewhere });
    expect(keysOf(found)).toEqual(['mug@Navy blue']);
  });

  it('a run of selected colorways reads only the records of their models', async () => {
    const folder = await modelsFolder({ 'mug.glb': 'x', 'cup.glb': 'y', 'jug.glb': 'z' });
    await folder.deliver('first', { grid: grid(['Navy']) });
    await rm(join(folder.folder, 'jug.glb'));
    const store = folder.storeOf('later');
    const read = vi.spyOn(store.records, 'read');
    const found = await previewDiscovery(store, {
      ...folder.source,
      planPaths: (one) => predictPaths([delivery('{{ key }}.{{ ext }}')], connectors, one),
      grid: grid(['Navy', 'Red']),
      selector: compileSelection({ only: ['mug@Red'] }),
    });
    expect(keysOf(found)).toEqual(['mug@Red']);
    const readKeys = read.mock.calls.map(([name]) => decodeKey(keyPartOf(name)));
    expect(new Set(readKeys)).toEqual(new Set(['mug@Navy']));
  });

  it('a colorway of a model that the run does not list is not reported as gone', async () => {
    const found = await renamed({ keyOf: () => 'cup' });
    expect(found.refused).toMatchObject([
      { message: expect.stringMatching(/"mug@Navy"\. This run does not list its source/) },
    ]);
  });

  it('a rerun finds the refused colorway of a platform model again', async () => {
    const source = { path: 'mug', id: 'model-1', bytes: 0, mtimeMs: 0, version: 'v1' };
    const sources = [{ unkeyed: toUnkeyedObject('model-1', 'mug'), source }];
    const lister = { list: async () => ({ sources, failures: [] }) };
    const { refused } = await renamed({ lister });
    const unfinished = refused.map(
      (failure): UnfinishedAsset => ({
        key: failure.key,
        asset: null,
        outcome: 'refused',
        failure,
        platformIds: {},
      }),
    );
    const rerunSelection = new RerunSelection('later', unfinished);
    const again = await renamed({ lister, rerunSelection });
    expect(again.refused).toEqual(refused);
    expect(refused).toMatchObject([{ key: 'model-1', code: 'OUTPUT_PATH_TAKEN' }]);
  });

  it('the new colorway reuses the uploaded model', async () => {
    const found = await renamed({}, 'old/A1_1.png');
    expect(found.assets).toMatchObject([{ platformIds: { modelId: 'm' } }]);
  });
});

describe('a new model whose file names another model already has', () => {
  /** `2025/chair` was delivered as chair.png, and a run lists `2026/chair`, which wants the name. */
  async function chairs({
    isGone = true,
    keepsOldFiles,
    more = {},
  }: {
    isGone?: boolean;
    keepsOldFiles?: true;
    more?: Partial<DiscoverySource>;
  }) {
    const folder = await modelsFolder({ '2025/chair.glb': 'x' });
    const made = (key: string) => ({ files: [{ ...fileOf('chair.png', key), key }] });
    await folder.deliver('first', { made });
    const { pathOwners } = folder.storeOf('first');
    const destination = folder.connector.describe();
    await pathOwners.claim([{ destination, path: 'chair.png', key: '2025/chair' }]);
    if (isGone) await rm(join(folder.folder, '2025'), { recursive: true });
    await putFile(folder.folder, '2026/chair.glb', 'yy', 1_700_000_000_000);
    const deliveries = [
      delivery('{{ name }}.{{ ext }}', keepsOldFiles === undefined ? {} : { keepsOldFiles }),
    ];
    return previewDiscovery(folder.storeOf('later'), {
      ...folder.source,
      sources: 'models',
      keyOf: ({ path }) => path.replace('.glb', ''),
      planPaths: (one) => predictPaths(deliveries, connectors, one),
      comparesAllNames: true,
      ...more,
    });
  }

  it('takes the name over if the other file no longer exists', async () => {
    expect(keysOf(await chairs({}))).toEqual(['2026/chair']);
  });

  it.each<[string, Parameters<typeof chairs>[0], RegExp]>([
    [
      'the export keeps old files',
      { keepsOldFiles: true },
      /Its source no longer exists, but its files keep/,
    ],
    [
      'the run listed another folder',
      { more: { location: 'elsewhere' } },
      /does not list its source/,
    ],
  ])('is refused before it is paid for if %s', async (_, given, message) => {
    const { assets, refused, counts } = await chairs(given);
    expect(assets).toEqual([]);
    const failure = { key: '2026/chair.glb', code: 'OUTPUT_PATH_TAKEN' };
    expect(refused).toMatchObject([{ ...failure, message: expect.stringMatching(message) }]);
    expect(counts).toMatchObject({ total: 1, new: 0 });
  });
});
