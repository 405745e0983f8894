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

describe('the shares of workers', () => {
  it.each<[string, number, Record<string, number>, Record<string, number>]>([
    [
      'of a single worker that wants all permits are all but a reserve of 2 in 100',
      200,
      { a: 500 },
      { a: 196 },
    ],
    [
      'of an allowance that is too small for a reserve are the whole allowance',
      40,
      { a: 500 },
      { a: 40 },
    ],
    [
      'of three workers that want all permits are a third each',
      200,
      { a: 500, b: 500, c: 500 },
      { a: 65, b: 65, c: 66 },
    ],
    [
      'of workers that want few permits are what they want, and the others share the rest',
      200,
      { a: 10, b: 500, c: 500 },
      { a: 10, b: 93, c: 93 },
    ],
    [
      'of a worker that wants no permits are empty while others want more',
      200,
      { a: 0, b: 500 },
      { a: 0, b: 196 },
    ],
    [
      'of working workers include half of the unwanted permits, divided equally',
      200,
      { a: 20, b: 56 },
      { a: 50, b: 86 },
    ],
    ['of idle workers are a few permits each', 200, { a: 16, b: 0 }, { a: 97, b: 8 }],
    ['of a single working worker are all permits', 200, { a: 20 }, { a: 196 }],
    ['of a single idle worker are half of the permits', 200, { a: 0 }, { a: 98 }],
    ['of five permits for two workers are two and three', 5, { a: 9, b: 9 }, { a: 2, b: 3 }],
    ['of no permits are none', 0, { a: 9 }, { a: 0 }],
  ])('the shares %s', (_what, places, wants, shares) => {
    expect(sharesOf(places, wants)).toEqual(shares);
  });
});

describe('an allowance with more workers than permits', () => {
  it('workers get permits in the order of how long they have waited, and a worker with a permit loses it', () => {
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

it('permits are contended if a worker wants more than it gets', () => {
  expect(dividePermits(100, [claimant('a', 60), claimant('b', 60)]).isContended).toBe(true);
  expect(dividePermits(100, [claimant('a', 30), claimant('b', 60)]).isContended).toBe(false);
});
