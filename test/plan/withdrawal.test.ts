import { describe, expect, it } from 'vitest';
import {
  computeMaxWithdrawn,
  findWithdrawalRule,
  formatWithdrawn,
} from '../../src/plan/withdrawal.ts';
import {
  findWithdrawal,
  nameInState,
  plainRecipeOf,
} from '../../src/store/records/withdrawal-state.ts';

describe('the maximum number of withdrawn assets', () => {
  it.each([
    [0, 5],
    [12, 5],
    [59, 5],
    [60, 6],
    [1_000, 100],
  ])('the maximum for %d records is %d', (onRecord, max) => {
    expect(computeMaxWithdrawn({ exports: {} }, onRecord)).toBe(max);
  });

  it('the maximum can be set in the file', () => {
    expect(computeMaxWithdrawn({ exports: {}, max: 1 }, 1_000)).toBe(1);
  });
});

describe('the withdrawal rule for a file', () => {
  const shop = { connector: 'shop', policy: 'archive' } as const;
  const print = { connector: 'print', policy: 'delete' } as const;
  const other = { connector: 'print', policy: 'keep' } as const;

  it.each([
    ['of its export', 'a', 'shop', shop],
    ['of the exports to its location, if its own export was removed', 'old', 'shop', shop],
    ['of no export, if their rules differ', 'old', 'print', null],
    ['of no export, if none has its location', 'old', 'gone', null],
    ['of no export, if its location is unknown', 'old', undefined, null],
  ])('the rule is that %s', (_what, mark, connector, rule) => {
    expect(
      findWithdrawalRule({ exports: { a: shop, b: print, c: other } }, mark, connector),
    ).toEqual(rule);
  });
});

it.each([
  [{ assets: 1, archived: 3, deleted: 0 }, '3 files of 1 asset: 3 to archive/'],
  [{ assets: 2, archived: 1, deleted: 1 }, '2 files of 2 assets: 1 to archive/, 1 deleted'],
  [{ assets: 1, archived: 0, deleted: 0 }, '0 files of 1 asset'],
])('formatWithdrawn() describes the counts %j', (counts, words) => {
  expect(formatWithdrawn(counts)).toBe(words);
});

describe('the name of a withdrawal record', () => {
  const name = 'shoe@1-1~abcd1234.json';

  it.each([
    [null, name],
    ['leaving', 'shoe@1-1~abcd1234.leaving.json'],
    ['withdrawn', 'shoe@1-1~abcd1234.withdrawn.json'],
  ] as const)('the name contains the state %s', (state, said) => {
    expect(nameInState(name, state)).toBe(said);
    for (const from of [null, 'leaving', 'withdrawn'] as const) {
      expect(nameInState(nameInState(name, from), state)).toBe(said);
    }
    const [, recipe = ''] = /~(.*)\.json$/.exec(said) ?? [];
    expect(findWithdrawal({ recipe })).toBe(state);
    expect(plainRecipeOf({ recipe })).toBe('abcd1234');
  });
});
