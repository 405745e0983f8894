// What is polled while the allowance is tight.
import { beforeEach, describe, expect, it } from 'vitest';
import { type OpenItem, PollThrottle } from '../../src/engine/polling/poll-throttle.ts';

const nowMs = 1_000_000;
const options = {
  requestsFor: (items: number) => Math.ceil(items / 100),
  pageSize: 100,
  pollsByPage: true,
};
const pollBudget = (spent: number, limit: number | undefined = 600) => ({
  limit,
  pressure: () => spent,
});
let ration: PollThrottle;
beforeEach(() => {
  ration = new PollThrottle({ ...options, pollBudget: pollBudget(0.9) });
});

const aged = (count: number, ageMs: number, lookedAtAgeMs?: number): [string, OpenItem][] =>
  Array.from({ length: count }, (_, index) => {
    const firstRequestedAtMs = nowMs - ageMs;
    const lastPolledAtMs =
      lookedAtAgeMs === undefined ? Number.NEGATIVE_INFINITY : firstRequestedAtMs + lookedAtAgeMs;
    return [`${ageMs}-${lookedAtAgeMs ?? ''}-${index}`, { firstRequestedAtMs, lastPolledAtMs }];
  });
const isFree = () => true;
const learn = (ms: number) =>
  ration.durationEstimate.observe({ lastOpenAgeMs: ms, ageMs: ms, isFinished: true });
const chosen = (open: [string, OpenItem][], more: { underWay?: number; isTime?: boolean } = {}) => {
  const { underWay = 0, isTime = true } = more;
  return ration.chooseIds(open, nowMs, { underWay, isIdle: isFree, isPollDue: () => isTime })
    .length;
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
    const { pageSize: page, requestsFor, pollsByPage } = options;
    const one = new PollThrottle({
      pageSize: page,
      requestsFor,
      pollsByPage,
      pollBudget: { limit, pressure: () => spent },
    });
    one.noteRequest(toDo === undefined ? {} : { assetCount: toDo }, nowMs);
    expect(one.isTight(open, nowMs + 59_000)).toBe(isTight);
    expect(one.isTight(open, nowMs + 60_000)).toBe(isTight && spent >= 0.5);
  });
});

describe('chosen are', () => {
  it.each<[string, [string, OpenItem][], Parameters<typeof chosen>[1], number]>([
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
    const ids = ration.chooseIds(open, nowMs, {
      underWay: 1,
      isIdle: isFree,
      isPollDue: () => true,
    });
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
    ration = new PollThrottle({ ...options, pollsByPage: false, pollBudget: pollBudget(0.9) });
    learn(4_000);
    expect(chosen(aged(150, 5_000))).toBe(150);
    expect(chosen(aged(150, 5_000), { isTime: false })).toBe(0);
    expect(chosen(aged(150, 5_000), { underWay: 1 })).toBe(0);
  });
});
