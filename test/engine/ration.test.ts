// What is polled while the allowance is tight.
import { beforeEach, describe, expect, it } from 'vitest';
import { type Aging, Ration } from '../../src/machinery/watch/ration.ts';

const nowMs = 1_000_000;
const options = { priceOf: (items: number) => Math.ceil(items / 100), page: 100, byPages: true };
const pace = (spent: number, limit: number | undefined = 600) => ({ limit, pressure: () => spent });
let ration: Ration;
beforeEach(() => {
  ration = new Ration({ ...options, pace: pace(0.9) });
});

const aged = (count: number, ageMs: number, lookedAtAgeMs?: number): [string, Aging][] =>
  Array.from({ length: count }, (_, index) => {
    const firstAskedAtMs = nowMs - ageMs;
    const knownAtMs =
      lookedAtAgeMs === undefined ? Number.NEGATIVE_INFINITY : firstAskedAtMs + lookedAtAgeMs;
    return [`${ageMs}-${lookedAtAgeMs ?? ''}-${index}`, { firstAskedAtMs, knownAtMs }];
  });
const isFree = () => true;
const learn = (ms: number) => ration.ripeAge.saw({ openMs: ms, ageMs: ms, isOver: true });
const chosen = (open: [string, Aging][], more: { underWay?: number; isTime?: boolean } = {}) => {
  const { underWay = 0, isTime = true } = more;
  return ration.choose(open, nowMs, { underWay, isFree, isTime: () => isTime }).length;
};

describe('looks are rationed', () => {
  it.each([
    ['half of the allowance is spent', 0.5, 600, 101, 0, true],
    ['a page is all there is', 0.9, 600, 100, 6_001, false],
    ['less is', 0.4, 600, 300, 6_001, false],
    [
      'the run needs more than there is, and a look at everything is dear',
      0,
      600,
      301,
      6_001,
      true,
    ],
    ['the run needs less', 0.4, 600, 301, 6_000, false],
    ['nobody knows what it needs', 0.4, 600, 301, undefined, false],
    ['nobody knows the allowance', 0.9, undefined, 5_000, 6_001, false],
  ])('%s', (_, spent, limit, open, toDo, isTight) => {
    const { page, priceOf, byPages } = options;
    const one = new Ration({ page, priceOf, byPages, pace: { limit, pressure: () => spent } });
    one.askedFor(toDo === undefined ? {} : { toDo }, nowMs);
    expect(one.isTight(open, nowMs + 59_000)).toBe(isTight);
    expect(one.isTight(open, nowMs + 60_000)).toBe(isTight && spent >= 0.5);
  });
});

describe('chosen are', () => {
  it.each<[string, [string, Aging][], Parameters<typeof chosen>[1], number]>([
    ['two full pages of what is ripe', aged(450, 5_000), {}, 200],
    [
      'full pages at once, however short ago the last look was',
      aged(450, 5_000),
      { isTime: false },
      200,
    ],
    ['one page beside another that is under way', aged(450, 5_000), { underWay: 1 }, 100],
    ['none beside two', aged(450, 5_000), { underWay: 2 }, 0],
    ['the full page of a page and a half', aged(150, 5_000), {}, 100],
    ['half a page once it is time', aged(50, 5_000), {}, 50],
    ['and not before', aged(50, 5_000), { isTime: false }, 0],
    ['none that are too young', aged(450, 3_999), {}, 0],
    ['none that were open a moment ago', aged(450, 6_000, 5_000), {}, 0],
    ['those that were, when they are older by three tenths', aged(450, 6_500, 5_000), {}, 200],
  ])('%s', (_, open, more, count) => {
    learn(4_000);
    expect(chosen(open, more)).toBe(count);
  });

  it('one page, while nobody knows how long things take', () => {
    expect(chosen(aged(450, 500))).toBe(100);
    expect(chosen(aged(450, 500), { isTime: false })).toBe(0);
  });

  it('the oldest first', () => {
    learn(4_000);
    const open = [...aged(60, 9_000), ...aged(450, 5_000)];
    const ids = ration.choose(open, nowMs, { underWay: 1, isFree, isTime: () => true });
    expect(ids.filter((id) => id.startsWith('9000'))).toHaveLength(60);
  });

  it('where things take minutes, a page of younger ones now and then', () => {
    learn(300_000);
    expect(chosen(aged(450, 9_999))).toBe(0);
    expect(chosen(aged(450, 10_000))).toBe(100);
    // Not twice within a quarter of a minute.
    expect(chosen(aged(450, 10_000))).toBe(0);
  });

  it('everything or nothing where a look is at everything', () => {
    ration = new Ration({ ...options, byPages: false, pace: pace(0.9) });
    learn(4_000);
    expect(chosen(aged(150, 5_000))).toBe(150);
    expect(chosen(aged(150, 5_000), { isTime: false })).toBe(0);
    expect(chosen(aged(150, 5_000), { underWay: 1 })).toBe(0);
  });
});
