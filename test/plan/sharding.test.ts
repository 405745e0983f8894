// Tests how assets are split into shards.
import { describe, expect, it } from 'vitest';
import {
  countShards,
  countSkipped,
  countTaken,
  type ShardingOptions,
  shardStartsOfGroups,
  shardsOfCanary,
  sizeOfShard,
  startOfShard,
  unshardedTotalsOf,
} from '../../src/plan/contract/sharding.ts';

function foundOf(toDo: number) {
  const refused = 2;
  return { pages: 0, total: toDo + 5, new: toDo - 5, changed: 5, unchanged: 3, refused };
}

const tens: ShardingOptions = { shardSize: 10 };
const canaryOf = (assets: number): ShardingOptions => ({
  ...tens,
  canary: { assets, timeoutMs: 1 },
});

describe('the shards of a run', () => {
  const rows: [toDo: number, canary: number, sizes: number[], ofCanary: number | null][] = [
    [25, 0, [10, 10, 5], null],
    [0, 0, [], null],
    // The canary has its own shard, however small. Full shards follow.
    [25, 1, [1, 10, 10, 4], 1],
    [25, 5, [5, 10, 10], 1],
    [25, 10, [10, 10, 5], 1],
    // The canary is larger than a shard.
    [25, 12, [10, 2, 10, 3], 2],
    [41, 20, [10, 10, 10, 10, 1], 2],
    // An approval is needed only if there are more assets than in the canary.
    [6, 5, [5, 1], 1],
    [5, 5, [5], null],
    [25, 30, [10, 10, 5], null],
  ];
  it.each(rows)(
    '%d assets with a canary of %d are split into the shards %j',
    (toDo, canary, sizes, ofCanary) => {
      const sharing = canary === 0 ? tens : canaryOf(canary);
      const found = foundOf(toDo);
      const shards = countShards(toDo, sharing);
      const numbers = Array.from({ length: shards + 1 }, (_, shard) => shard);
      expect(numbers.map((shard) => sizeOfShard(found, sharing, shard))).toEqual([...sizes, 0]);
      expect(shardsOfCanary(found, sharing)).toBe(ofCanary);
      // Shards follow each other without a gap.
      let end = 0;
      for (const [shard, size] of sizes.entries()) {
        expect(startOfShard(sharing, shard)).toBe(end);
        end += size;
      }
      for (const shard of numbers) {
        const left = sizes.slice(shard).reduce((sum, size) => sum + size, 0);
        expect(countSkipped(found, sharing, shard)).toEqual({
          total: left,
          complete: 0,
          failed: 0,
          skipped: left,
        });
      }
    },
  );

  it('the shards do not contain failed and skipped assets', () => {
    expect(sizeOfShard(null, tens, 0)).toBe(0);
    expect(unshardedTotalsOf(foundOf(25))).toEqual({
      total: 5,
      complete: 0,
      failed: 2,
      skipped: 3,
    });
    expect(countTaken(foundOf(25))).toBe(27);
  });
});

describe('the shards of a colorway grid', () => {
  const rows: [groups: number[], canary: number, starts: number[], ofCanary: number | null][] = [
    [[], 0, [], null],
    [[3, 3, 3, 3], 0, [0, 9], null],
    [[6, 6, 6], 0, [0, 6, 12], null],
    // There are more colorways than a shard can contain.
    [[2, 14, 2], 0, [0, 2, 16], null],
    // A canary ends with a whole model.
    [[3, 3, 3, 3], 2, [0, 3], 1],
    [[3, 3, 3, 3], 4, [0, 6], 1],
    [[8, 8, 8], 9, [0, 8, 16], 2],
    // If the canary contains all models, no approval is needed.
    [[5], 2, [0], null],
    [[5, 5], 6, [0], null],
    [[8, 8], 9, [0, 8], null],
  ];
  it.each(rows)(
    'models of %j cells with a canary of %d have shards that start at %j',
    (groups, canary, starts, ofCanary) => {
      const options = canary === 0 ? tens : canaryOf(canary);
      expect(shardStartsOfGroups(groups, options)).toEqual(starts);
      const toDo = groups.reduce((sum, one) => sum + one, 0);
      const found = { ...foundOf(toDo + 5), new: toDo, changed: 0, starts };
      expect(shardsOfCanary(found, options)).toBe(ofCanary);
      const sizes = starts.map((_, shard) => sizeOfShard(found, tens, shard));
      expect(sizes.reduce((sum, one) => sum + one, 0)).toBe(toDo);
      expect(countSkipped(found, tens, 0).total).toBe(toDo);
      expect(countSkipped(found, tens, starts.length).total).toBe(0);
    },
  );
});
