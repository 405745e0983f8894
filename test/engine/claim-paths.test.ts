// A file name goes to another asset once its owner has no file there or the owner's source is missing, and not before.
import { describe, expect, it, vi } from 'vitest';
import { claimPaths } from '../../src/features/delivery/claim-paths.ts';
import type { DeliveredFile } from '../../src/plan/types.ts';
import type { PathOwner } from '../../src/store/records/path-owners.ts';
import type { AssetRecord } from '../../src/store/records/records.ts';
import type { WithdrawalState } from '../../src/store/records/withdrawal-state.ts';
import { MemoryBucket, MemoryConnector } from '../connectors/_memory-connector.ts';
import { dead, sourceOf, storesOver } from '../store/_store.ts';
import { runContext } from './_context.ts';

const destination = 'local folder /out';
const path = 'chair.png';
const wish = (key: string) => ({ destination, path, key });
const file = (at: string): DeliveredFile => ({
  key: '2025/chair',
  path: at,
  bytes: 1,
  sha256: 's',
  width: 1,
  height: 1,
  output: 'o',
  delivery: 'd',
});

interface Case {
  /** Where the record of the owner contains files. Null if there is no record. */
  files?: readonly string[] | null;
  record?: Partial<AssetRecord>;
  /** True if the owner's source still exists. */
  sourceExists?: boolean;
  /** Location that the owner's run listed. */
  listed?: string;
  /** True if some run works on the owner. */
  isInWork?: boolean;
  /** True if the export keeps files at old paths. */
  keepsOldFiles?: boolean;
}

/** `2025/chair` was delivered as chair.png; `2026/chair` wants the name now. */
async function claimNow({
  files = [path],
  record,
  sourceExists,
  listed,
  isInWork,
  keepsOldFiles = false,
}: Case) {
  const stores = storesOver();
  const models = new MemoryConnector(new MemoryBucket());
  const key = '2025/chair';
  if (sourceExists) await models.write(`${key}.glb`, Buffer.from('x'));
  const counts = { total: 0, new: 0, changed: 0, unchanged: 0 };
  const manifest = { assets: [], shardSize: 250, counts, refused: [] };
  const [before, now] = [stores('before'), stores('now')];
  await before.runAssets.write({ ...manifest, location: listed ?? 'here', sources: 'models' });
  await now.runAssets.write({ ...manifest, location: 'here', sources: 'models' });
  await before.pathOwners.claim([wish(key)]);
  if (isInWork) await before.claims.claim({ key, version: '2-2', shard: 0 }, dead);
  if (files !== null) {
    const of = { key, source: sourceOf(key), recipe: 'r', platformIds: {}, files: files.map(file) };
    const finishedAt = '2026-01-01T00:00:00Z';
    await before.records.write({ ...of, run: 'before', lineage: 'before', finishedAt, ...record });
  }
  const context = {
    store: now,
    run: runContext({ connectors: { models: { type: 'local' } } }),
    getConnector: () => models,
  };
  const claim = (...claims: PathOwner[]) => claimPaths(claims, keepsOldFiles ? null : [], context);
  return { claim, stores, now };
}

const rowSource = { ...sourceOf('2025/chair'), rowKey: 'row' };
/** A row whose files of this export stay, while another export withdraws its files. */
const withdrawnRow = (state: WithdrawalState): Partial<AssetRecord> => ({
  source: rowSource,
  withdrawn: { state, run: 'before', at: '2026-01-02T00:00:00Z', archived: 0, deleted: 1 },
});

describe('a file name that belongs to another asset', () => {
  it.each<[string, Case]>([
    ["whose owner's source is missing", {}],
    [
      "whose owner's source is missing and whose old file differs only in case",
      { files: ['CHAIR.png'] },
    ],
    [
      'whose owner now has its file at another path',
      { files: ['old/chair.png'], sourceExists: true },
    ],
    ["whose owner's files were withdrawn", { files: [] }],
    ['whose owner is a table row that was withdrawn', { record: withdrawnRow('withdrawn') }],
    [
      'whose owner is a table row that was withdrawn, if the export keeps old files',
      { record: withdrawnRow('withdrawn'), keepsOldFiles: true },
    ],
  ])('a name %s is taken over', async (_, of) => {
    const { claim, stores } = await claimNow(of);
    expect(await claim(wish('2026/chair'))).toEqual(['2026/chair']);
    expect(await stores('later').pathOwners.ownerOf({ destination, path })).toBe('2026/chair');
  });

  it.each<[string, Case]>([
    ["whose owner's source still exists", { sourceExists: true }],
    ['without a record, which a run may be working on', { files: null }],
    ['whose owner a run is working on', { isInWork: true }],
    [
      'whose owner a run is working on, although its files were withdrawn',
      { files: [], isInWork: true },
    ],
    ["whose owner's run listed another folder", { listed: 'elsewhere' }],
    ['whose owner is a table row', { record: { source: rowSource } }],
    ['whose owner is a table row that is being withdrawn', { record: withdrawnRow('leaving') }],
    ["whose owner's source is missing, if the export keeps old files", { keepsOldFiles: true }],
  ])('a name %s is not taken over', async (_, of) => {
    const { claim } = await claimNow(of);
    expect(await claim(wish('2026/chair'))).toEqual(['2025/chair']);
  });

  it('a name is assigned to only one asset', async () => {
    const { claim } = await claimNow({});
    const keys = await claim(wish('2026/chair'), wish('2027/chair'));
    expect(keys).toEqual(['2026/chair', '2026/chair']);
    expect(await claim(wish('2027/chair'))).toEqual(['2026/chair']);
  });

  it('the list of withdrawn assets is read once for all names that rows release', async () => {
    const { claim, stores, now } = await claimNow({ record: { source: rowSource } });
    const { records, pathOwners } = stores('before');
    const record = await records.find('2025/chair');
    if (!record) throw new Error('no record');
    const second = { ...wish('2025/table'), path: 'table.png' };
    await pathOwners.claim([second]);
    const files = [file(second.path)];
    const names = [
      await records.write(record),
      await records.write({ ...record, key: second.key, files }),
    ];
    await now.withdrawals.write(names);
    const read = vi.spyOn(now.withdrawals, 'read');
    const owners = await claim(wish('2026/chair'), { ...second, key: '2026/table' });
    expect(owners).toEqual(['2026/chair', '2026/table']);
    expect(read).toHaveBeenCalledOnce();
  });

  it('a name is taken over once another worker has released it', async () => {
    const { claim, stores } = await claimNow({ sourceExists: true });
    expect(await claim(wish('2026/chair'))).toEqual(['2025/chair']);
    const { pathOwners } = stores('before');
    const renamed = { ...wish('2025/chair'), path: 'old.png' };
    await pathOwners.claim([renamed], [wish('2025/chair')]);
    expect(await claim(wish('2026/chair'))).toEqual(['2026/chair']);
  });
});
