// A new cell of a grid reuses the platform ids of the other cells of its model.
import { describe, expect, it } from 'vitest';
import type { PlatformIds } from '../../src/plan/platform-ids.ts';
import type { AssetSource } from '../../src/plan/types.ts';
import { withSharedModels } from '../../src/store/discovery/grid/grid-models.ts';
import { encodeKey } from '../../src/store/objects/object-name.ts';
import { createCellKey } from '../../src/store/records/cell-keys.ts';
import type { RunAsset } from '../../src/store/runs/run-assets.ts';
import { MemoryBucket } from '../connectors/_memory-connector.ts';
import { colorway, inCell, view } from '../plan/_cells.ts';
import { recipe, sourceOf, storesOver } from './_store.ts';

const cellSource = (name: string, version = '1-1'): AssetSource =>
  inCell(sourceOf('shoe', version), 'shoe', colorway(name));
const grid = {
  failuresOf: () => [],
  locate: () => '',
  cellsOf: () => [],
  keysOf: (model: string) => ['Red', 'Blue'].map((name) => createCellKey(model, name)),
};

/** What the Blue cell takes over if the Red cell has this record. */
async function learned(
  red: { platformIds: PlatformIds; sourceSha256?: string; version?: string },
  blue: Partial<RunAsset> & { isClaimed?: true } = {},
  category: string | null = null,
) {
  const store = storesOver(new MemoryBucket())('a');
  const { version, ...more } = red;
  const { isClaimed, ...of } = blue;
  await store.records.write({
    key: 'shoe@Red',
    source: cellSource('Red', version),
    recipe,
    files: [],
    run: 'before',
    lineage: 'before',
    finishedAt: '2026-01-01T00:00:00Z',
    ...more,
  });
  const asset: RunAsset = {
    key: 'shoe@Blue',
    source: cellSource('Blue'),
    reason: 'new',
    ...of,
  };
  const { records, idRules: platformIds } = store;
  const index = await records.index();
  const [known] = await withSharedModels([asset], grid, {
    index,
    claimed: new Set(isClaimed ? [encodeKey(asset.key)] : []),
    records,
    idRules: platformIds,
    category,
    ...noFiles,
  });
  return { platformIds: known?.platformIds, sourceSha256: known?.sourceSha256 };
}

/** No file can be read, and none has only a new time. */
const noFiles = { hash: async () => null, touched: [] };

describe('a new colorway of a model', () => {
  const platformIds: PlatformIds = {
    modelId: 'm',
    drawn: '2/0',
    variants: ['v'],
    projectId: 'p',
    jobId: 'j',
  };
  it.each<[what: string, ...input: Parameters<typeof learned>, knows: object]>([
    [
      'gets the model and the hash of its file, but nothing from the other colorway',
      { platformIds, sourceSha256: 'cd' },
      {},
      null,
      { platformIds: { modelId: 'm', drawn: '2/0' }, sourceSha256: 'cd' },
    ],
    [
      'gets no hash if none is recorded',
      { platformIds },
      {},
      null,
      { platformIds: { modelId: 'm', drawn: '2/0' } },
    ],
    [
      'gets nothing from another version of the file',
      { platformIds, version: '2-2' },
      {},
      null,
      {},
    ],
    [
      'gets no model from another category, but gets the hash',
      { platformIds: { modelId: 'm' }, sourceSha256: 'cd' },
      {},
      'hats',
      { sourceSha256: 'cd' },
    ],
    ['that failed before gets nothing', { platformIds }, { reason: 'retry' }, null, {}],
    [
      'that was delivered from another version of the file gets the model of this version',
      { platformIds },
      { reason: 'changed', previous: ['shoe@Blue'] },
      null,
      { platformIds: { modelId: 'm', drawn: '2/0' } },
    ],
    [
      'that was delivered from another version and has failed since gets nothing',
      { platformIds },
      { reason: 'changed', previous: ['shoe@Blue'], isClaimed: true },
      null,
      {},
    ],
    [
      'of a platform model has its own model',
      { platformIds },
      { platformIds: {} },
      null,
      { platformIds: {} },
    ],
  ])('a cell %s', async (_what, red, blue, category, knows) => {
    expect(await learned(red, blue, category)).toEqual(knows);
  });
});

it('a new colorway gets nothing from a removed colorway of a model whose name starts alike', async () => {
  const { records, idRules } = storesOver(new MemoryBucket())('a');
  await records.write({
    key: 'shoe@2@Green',
    source: inCell(sourceOf('shoe@2'), 'shoe@2', colorway('Green')),
    recipe,
    platformIds: { modelId: 'm' },
    sourceSha256: 'cd',
    files: [],
    run: 'before',
    lineage: 'before',
    finishedAt: '2026-01-01T00:00:00Z',
  });
  const asset: RunAsset = { key: 'shoe@Blue', source: cellSource('Blue'), reason: 'new' };
  const index = await records.index();
  const context = { index, claimed: new Set<string>(), records, idRules, ...noFiles };
  expect(await withSharedModels([asset], grid, context)).toEqual([asset]);
});

describe('a new view of a colorway', () => {
  const rule = (material: string) => ({ matchText: 'body', matchMode: 'exact' as const, material });
  const inView = (name: string, material: string) =>
    inCell(sourceOf('shoe'), 'shoe', colorway('Red', [rule(material)]), view(name));
  const viewGrid = {
    ...grid,
    keysOf: () => ['shoe@Red@front', 'shoe@Red@hero', 'shoe@Blue@front'],
  };

  it.each([
    ['gets the variant of its colorway', 'Oak', { modelId: 'm', variants: ['v'] }],
    ['gets only the model if the colorway has other materials', 'Ash', { modelId: 'm' }],
  ])('a new view %s', async (_what, material, knows) => {
    const { records, idRules } = storesOver(new MemoryBucket())('a');
    await records.write({
      key: 'shoe@Red@front',
      source: inView('front', 'Oak'),
      recipe,
      platformIds: { modelId: 'm', variants: ['v'], projectId: 'p' },
      files: [],
      run: 'before',
      lineage: 'before',
      finishedAt: '2026-01-01T00:00:00Z',
    });
    const asset: RunAsset = {
      key: 'shoe@Red@hero',
      source: inView('hero', material),
      reason: 'new',
    };
    const index = await records.index();
    const claimed = new Set<string>();
    const context = { index, claimed, records, idRules, ...noFiles };
    const [known] = await withSharedModels([asset], viewGrid, context);
    expect(known?.platformIds).toEqual(knows);
  });
});
