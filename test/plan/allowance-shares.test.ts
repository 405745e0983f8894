import { describe, expect, it } from 'vitest';
import { type Claimant, dividePermits } from '../../src/plan/allowance/allowance-shares.ts';

const claimant = (worker: string, wants: number, more: Partial<Claimant> = {}): Claimant => {
  return { worker, wantedPermits: wants, allotment: 1, sinceMs: 0, ...more };
};
const sharesOf = (places: number, wants: Record<string, number>) =>
  Object.fromEntries(
    dividePermits(
      places,
      Object.entries(wants).map(([name, n]) => claimant(name, n)),
    ).shares,
  );

describe('max-min fair', () => {
  it.each<[string, number, Record<string, number>, Record<string, number>]>([
    ['one that wants all has all but a reserve of two in a hundred', 200, { a: 500 }, { a: 196 }],
    ['an allowance too small for a reserve is given whole', 40, { a: 500 }, { a: 40 }],
    ['three that want all have a third', 200, { a: 500, b: 500, c: 500 }, { a: 65, b: 65, c: 66 }],
    [
      'who wants little has it, the rest is for the others',
      200,
      { a: 10, b: 500, c: 500 },
      { a: 10, b: 93, c: 93 },
    ],
    [
      'who wants nothing has nothing while others are short',
      200,
      { a: 0, b: 500 },
      { a: 0, b: 196 },
    ],
    ['of what nobody wants those that work have a half', 200, { a: 20, b: 56 }, { a: 50, b: 86 }],
    ['idle ones have a little of it', 200, { a: 16, b: 0 }, { a: 97, b: 8 }],
    ['one that is alone and works has all of it', 200, { a: 20 }, { a: 196 }],
    ['one that is alone and idle has half of it', 200, { a: 0 }, { a: 98 }],
    ['five for two', 5, { a: 9, b: 9 }, { a: 2, b: 3 }],
    ['nothing', 0, { a: 9 }, { a: 0 }],
  ])('%s', (_what, places, wants, shares) => {
    expect(sharesOf(places, wants)).toEqual(shares);
  });
});

describe('more workers than places', () => {
  it('who has waited longest comes first, and who has one keeps none', () => {
    const { shares } = dividePermits(2, [
      claimant('had', 3, { allotment: 1, sinceMs: 1 }),
      claimant('waits', 3, { allotment: 0, sinceMs: 5 }),
      claimant('waits longer', 3, { allotment: 0, sinceMs: 2 }),
      claimant('wants none', 0, { allotment: 0, sinceMs: 0 }),
    ]);
    expect(Object.fromEntries(shares)).toEqual({
      'waits longer': 1,
      waits: 1,
      had: 0,
      'wants none': 0,
    });
  });
});

it('is tight when somebody wants more than it gets', () => {
  expect(dividePermits(100, [claimant('a', 60), claimant('b', 60)]).isContended).toBe(true);
  expect(dividePermits(100, [claimant('a', 30), claimant('b', 60)]).isContended).toBe(false);
});
