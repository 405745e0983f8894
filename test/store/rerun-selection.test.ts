import { describe, expect, it } from 'vitest';
import { assetFailures } from '../../src/failures/assets.ts';
import type { KnownFailure } from '../../src/failures/define.ts';
import { modelFailures } from '../../src/features/models/failures.ts';
import { refusal, unkeyedFile } from '../../src/store/discovery/asset-keys.ts';
import type { ListedSource } from '../../src/store/discovery/lister.ts';
import { RerunSelection } from '../../src/store/discovery/rerun-selection.ts';
import type { UnfinishedAsset } from '../../src/store/discovery/unfinished-assets.ts';
import { objectSource } from '../../src/store/records/source-version.ts';
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

function refused(name: string, failed: KnownFailure): UnfinishedAsset {
  const failure = refusal(failed, name, 'take', 'why');
  return { key: name, asset: null, outcome: 'refused', failure, platformIds: {} };
}

const file = (key: string, version = '1-1'): ListedSource => ({
  unkeyed: unkeyedFile(`${key}.glb`),
  source: sourceOf(key, version),
});

describe('what a rerun takes', () => {
  const again = new RerunSelection('before', [
    failed('shoe'),
    failed('gone'),
    refused('Bag.glb', assetFailures.KEY_CLASH),
    refused('lost.glb', assetFailures.KEY_CLASH),
  ]);

  it.each([
    ['shoe', true, 'failed in the earlier run'],
    ['Bag', true, 'was refused by it, and may be taken now'],
    ['new', false, 'was not there then'],
  ])('%s: %s, since it %s', (key, takes) => {
    expect(again.includes(file(key))).toBe(takes);
  });

  it('keeps its key, whatever files have been added since', () => {
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

  it('keeps the version if only its size was unknown, but not if the file has changed', () => {
    const sized = objectSource('m1', 'Shoe', ['', 'glb'], 1_234);
    const unsized = objectSource('m1', 'Shoe', ['', 'glb'], null);
    const renamed = objectSource('m1', 'Boot', ['', 'glb'], null);
    const before = new RerunSelection('before', [failed('Shoe', { source: sized })]);
    const unkeyed = { id: 'm1', label: 'Shoe (m1)', shortKey: 'Shoe', longKey: 'Shoe-m1' };
    const versionOf = (source: ListedSource['source']) =>
      before.withEarlierKey({ unkeyed, source }).source.version;
    expect(versionOf(unsized)).toBe(sized.version);
    expect(versionOf(renamed)).toBe(renamed.version);
  });

  it('reports missing sources, and only its own failures', () => {
    const listed = [file('shoe'), file('Bag'), file('new')];
    const clash = refusal(assetFailures.KEY_CLASH, 'Bag.glb', 'take', 'still');
    const others = refusal(assetFailures.KEY_CLASH, 'new.glb', 'take', 'not asked for');
    const told = again.refusals(listed, [clash, others], 'take');
    expect(told.map(({ key, code }) => [key, code])).toEqual([
      ['Bag.glb', 'KEY_CLASH'],
      ['gone.glb', 'SOURCE_GONE'],
      ['lost.glb', 'SOURCE_GONE'],
    ]);
    expect(told[1]?.message).toContain('before');
  });

  it('selects by platform id, unless a failure is known by name only', () => {
    const source = objectSource('m1', 'Shoe', [], null);
    const missing = refused('m2', modelFailures.MODEL_NOT_FOUND);
    expect(new RerunSelection('r', [failed('Shoe', { source }), missing]).ids).toEqual([
      'm1',
      'm2',
    ]);
    expect(
      new RerunSelection('r', [failed('Shoe', { source }), refused('Bag', assetFailures.KEY_CLASH)])
        .ids,
    ).toBeNull();
  });
});
