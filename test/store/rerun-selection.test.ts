import { describe, expect, it } from 'vitest';
import { missingFailure } from '../../src/engine/discovery/platform-objects.ts';
import { assetFailures } from '../../src/failures/assets.ts';
import type { KnownFailure } from '../../src/failures/define.ts';
import { rowFailures } from '../../src/failures/rows.ts';
import { modelFailures } from '../../src/features/models/failures.ts';
import type { Failure } from '../../src/plan/types.ts';
import { sourceFailure, toUnkeyedFile } from '../../src/store/discovery/asset-keys.ts';
import type { ListedSource } from '../../src/store/discovery/listed-source.ts';
import { RerunSelection } from '../../src/store/discovery/rerun-selection.ts';
import type { UnfinishedAsset } from '../../src/store/discovery/unfinished-assets.ts';
import { createObjectSource } from '../../src/store/records/source-version.ts';
import { colorway, inCell } from '../plan/_cells.ts';
import { manifestAsset, sourceOf } from './_store.ts';

function failed(
  key: string,
  more: Partial<NonNullable<UnfinishedAsset['asset']>> = {},
): UnfinishedAsset {
  return {
    key,
    asset: manifestAsset(key, more),
    outcome: 'failed',
    failure: null,
    platformIds: {},
  };
}

function refused(name: string, known: KnownFailure): UnfinishedAsset {
  return refusedAs(sourceFailure(known, name, 'take', 'why'));
}

function refusedAs(failure: Failure): UnfinishedAsset {
  return { key: failure.key, asset: null, outcome: 'refused', failure, platformIds: {} };
}

const file = (key: string, version = '1-1'): ListedSource => ({
  unkeyed: toUnkeyedFile(`${key}.glb`),
  source: sourceOf(key, version),
});

it('an object that was refused because of its key gets a key of its own in the rerun', () => {
  const source = createObjectSource('m2', 'Chair', [], null);
  const failure = sourceFailure(assetFailures.KEY_CLASH, 'Chair', 'take', 'why');
  const again = new RerunSelection('before', [{ ...failed('Chair', { source }), failure }]);
  const unkeyed = { id: 'm2', label: 'Chair', shortKey: 'Chair', longKey: 'Chair-m2' };
  const listed = { unkeyed, source };
  expect(again.ids).toEqual(['m2']);
  expect(again.hasSource(listed)).toBe(true);
  expect(again.withEarlierKey(listed)).toEqual(listed);
});

describe('a rerun', () => {
  const again = new RerunSelection('before', [
    failed('shoe'),
    failed('gone'),
    refused('Bag.glb', assetFailures.KEY_CLASH),
    refused('lost.glb', assetFailures.KEY_CLASH),
  ]);

  it.each([
    ['shoe', true, 'it failed in the earlier run'],
    ['Bag', true, 'it was refused by the earlier run'],
    ['new', false, 'it did not exist then'],
  ])('a rerun includes %s: %s, since %s', (key, takes) => {
    expect(again.hasSource(file(key))).toBe(takes);
  });

  it('a rerun keeps its keys, whatever files have been added since', () => {
    const named = new RerunSelection('before', [
      failed('summer/shoe', { source: sourceOf('shoe') }),
    ]);
    expect(named.withEarlierKey(file('shoe')).unkeyed).toMatchObject({
      shortKey: 'summer/shoe',
      longKey: 'summer/shoe',
    });
    const other = file('other');
    expect(named.withEarlierKey(other)).toBe(other);
  });

  it('a rerun keeps the version if only the size is unknown, but not if the file has changed', () => {
    const sized = createObjectSource('m1', 'Shoe', ['', 'glb'], 1_234);
    const unsized = createObjectSource('m1', 'Shoe', ['', 'glb'], null);
    const renamed = createObjectSource('m1', 'Boot', ['', 'glb'], null);
    const before = new RerunSelection('before', [failed('Shoe', { source: sized })]);
    const unkeyed = { id: 'm1', label: 'Shoe (m1)', shortKey: 'Shoe', longKey: 'Shoe-m1' };
    const versionOf = (source: ListedSource['source']) =>
      before.withEarlierKey({ unkeyed, source }).source.version;
    expect(versionOf(unsized)).toBe(sized.version);
    expect(versionOf(renamed)).toBe(renamed.version);
  });

  it('a rerun reports missing sources, and only failures of its own assets', () => {
    const listed = [file('shoe'), file('Bag'), file('new')];
    const clash = sourceFailure(assetFailures.KEY_CLASH, 'Bag.glb', 'take', 'still');
    const others = sourceFailure(assetFailures.KEY_CLASH, 'new.glb', 'take', 'not asked for');
    const told = again.refusals(listed, [clash, others], 'take');
    expect(told.map(({ key, code }) => [key, code])).toEqual([
      ['Bag.glb', 'KEY_CLASH'],
      ['gone.glb', 'SOURCE_GONE'],
      ['lost.glb', 'SOURCE_GONE'],
    ]);
    expect(told[1]?.message).toContain('before');
  });

  it.each([assetFailures.KEY_CLASH, rowFailures.ROW_MISSING, assetFailures.EXPRESSION_FAILED])(
    'a rerun selects by platform id, unless a failure is known only by name: $code',
    (known) => {
      const source = createObjectSource('m1', 'Shoe', [], null);
      const missing = missingFailure(modelFailures.MODEL_NOT_FOUND, 'model', 'm2', 'take');
      const byId = [failed('Shoe', { source }), refusedAs(missing)];
      expect(new RerunSelection('r', byId).ids).toEqual(['m1', 'm2']);
      expect(new RerunSelection('r', [...byId, refused('Bag (m3)', known)]).ids).toBeNull();
    },
  );

  it.each([
    ['a@Oak', 'a', true, 'it failed in the earlier run'],
    ['a@Ash', 'a', false, 'it was delivered by the earlier run'],
    ['b@Oak', 'b', true, 'its model was refused'],
    ['c@Oak', 'c', false, 'it did not exist then'],
  ])('a rerun includes the cell %s of %s: %s, since %s', (key, model, takes) => {
    const source = inCell(sourceOf('a'), 'a', colorway('Oak'));
    const grid = new RerunSelection('before', [
      failed('a@Oak', { source }),
      refused('b.glb', assetFailures.KEY_CLASH),
    ]);
    expect(grid.hasAsset({ ...file(model), key })).toBe(takes);
  });
});
