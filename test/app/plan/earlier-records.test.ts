// Records of earlier deliveries, which several checks of a plan use.
import { expect, it } from 'vitest';
import { EarlierRecords } from '../../../src/app/plan/earlier-records.ts';
import type { AssetRecord } from '../../../src/store/records/records.ts';
import type { RunStore } from '../../../src/store/runs/run-store.ts';

const read: string[] = [];
const records = {
  read: async (name: string) => {
    read.push(name);
    return name === 'gone' ? null : ({ key: name } as AssetRecord);
  },
} as RunStore['records'];

it('each record is read once, from `moved` if it is there, and otherwise from the first of `previous`', async () => {
  const earlier = new EarlierRecords({ records });
  const moved = { moved: { key: 'old', record: 'a' } as never, previous: ['b'] };
  const assets = [{ previous: ['b', 'older'] }, moved, { previous: ['gone'] }, {}];
  const found = () => Promise.all(assets.map((asset) => earlier.read(asset as never)));
  const expected = [{ key: 'b' }, { key: 'a' }, null, null];
  expect(await found()).toEqual(expected);
  expect(await found()).toEqual(expected);
  expect(read).toEqual(['b', 'a', 'gone']);
});
