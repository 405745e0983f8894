// Which items are polled when: all that are due, or while the allowance is tight those that are probably finished.
import { beforeEach, describe, expect, it } from 'vitest';
import {
  type OpenItem,
  PollPolicy,
  type PollState,
} from '../../../src/engine/polling/poll-policy.ts';

const nowMs = 1_000_000;
const options = { pageSize: 100, reads: 'page' } as const;
const pollBudget = (spent: number, limit: number | undefined = 600) => ({
  limit,
  pressure: () => spent,
});
let policy: PollPolicy;
beforeEach(() => {
  policy = new PollPolicy(pollBudget(0.9), options);
});

const aged = (count: number, ageMs: number, lookedAtAgeMs?: number): [string, OpenItem][] =>
  Array.from({ length: count }, (_, index) => {
    const firstRequestedAtMs = nowMs - ageMs;
    const lastPolledAtMs =
      lookedAtAgeMs === undefined ? Number.NEGATIVE_INFINITY : firstRequestedAtMs + lookedAtAgeMs;
    return [`${ageMs}-${lookedAtAgeMs ?? ''}-${index}`, { firstRequestedAtMs, lastPolledAtMs }];
  });
const learn = (ms: number) => policy.observe(ms, ms, true);
const stateOf = (open: [string, OpenItem][], underWay = 0): PollState => ({
  open: new Map(open),
  underWay,
  areNotificationsReliable: false,
  nowMs,
});
const chosenIds = (
  open: [string, OpenItem][],
  { underWay = 0, isTime = true }: { underWay?: number; isTime?: boolean } = {},
) => {
  // Another poll started a moment ago.
  if (!isTime) policy.choose(['x'], [], { ...stateOf(aged(1, 1)), nowMs: nowMs - 1 });
  return policy.chooseDue(stateOf(open, underWay));
};
const chosen = (...[open, more]: Parameters<typeof chosenIds>) => chosenIds(open, more).length;

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
    const one = new PollPolicy({ limit, pressure: () => spent }, options);
    one.recordRequest(toDo === undefined ? {} : { assetCount: toDo }, nowMs);
    const isThrottled = (afterMs: number) =>
      one.isThrottled({ ...stateOf(aged(open, 1)), nowMs: nowMs + afterMs });
    expect(isThrottled(59_000)).toBe(isTight);
    expect(isThrottled(60_000)).toBe(isTight && spent >= 0.5);
  });

  it('not while hints announce what changes', () => {
    expect(policy.isThrottled({ ...stateOf(aged(450, 1)), areNotificationsReliable: true })).toBe(
      false,
    );
  });
});

describe('without a throttle', () => {
  it('everything is chosen, or nothing', () => {
    policy = new PollPolicy(pollBudget(0), options);
    expect(chosen(aged(450, 500))).toBe(450);
    expect(chosen(aged(450, 500), { isTime: false })).toBe(0);
  });

  it('a read item is left out of the pages that follow', () => {
    learn(4_000);
    const open = aged(450, 5_000);
    for (const [, item] of open.slice(0, 250)) item.inFlight = Promise.resolve();
    expect(chosenIds(open)[0]).toBe(open[250]?.[0]);
  });
});

describe('chosen are', () => {
  it.each<[string, [string, OpenItem][], Parameters<typeof chosenIds>[1], number]>([
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
    const ids = chosenIds(open, { underWay: 1 });
    expect(ids.filter((id) => id.startsWith('9000'))).toHaveLength(60);
  });

  it('where things take minutes, a page of younger ones now and then', () => {
    learn(300_000);
    expect(chosen(aged(450, 9_999))).toBe(0);
    expect(chosen(aged(450, 10_000))).toBe(100);
    const again = (afterMs: number) =>
      policy.chooseDue({ ...stateOf(aged(450, 10_000)), nowMs: nowMs + afterMs });
    expect([again(14_999).length, again(15_000).length]).toEqual([0, 100]);
  });

  it('everything or nothing where a look is at everything', () => {
    policy = new PollPolicy(pollBudget(0.9), { pageSize: 100, reads: 'all' });
    learn(4_000);
    expect(chosen(aged(150, 5_000))).toBe(150);
    expect(chosen(aged(150, 5_000), { isTime: false })).toBe(0);
    expect(chosen(aged(150, 5_000), { underWay: 1 })).toBe(0);
  });
});

describe('after a look at a, b and c', () => {
  const ids = ['a', 'b', 'c'];
  interface Case {
    afterMs: number;
    asks?: string[];
    woken?: string[];
    areNotificationsReliable?: boolean;
    reads?: 'page' | 'all';
  }
  const after = ({
    afterMs,
    asks = ids,
    woken = [],
    areNotificationsReliable = false,
    reads = 'page',
  }: Case) => {
    policy = new PollPolicy(pollBudget(0), { pageSize: 100, reads });
    const open = new Map(
      [...ids, 'd'].map((id): [string, OpenItem] => [
        id,
        { firstRequestedAtMs: nowMs, lastPolledAtMs: id === 'd' ? nowMs - 1 : nowMs },
      ]),
    );
    const state = { open, underWay: 0, areNotificationsReliable, nowMs };
    policy.choose(ids, [], state);
    return policy.choose(asks, woken, { ...state, nowMs: nowMs + afterMs }).join(' ');
  };

  it.each<[string, Case, string]>([
    ['nothing is chosen within a tick', { afterMs: 599 }, ''],
    ['everything in the next one', { afterMs: 600 }, 'a b c d'],
    ['nothing where nobody asks', { afterMs: 600, asks: [] }, ''],
    ['what it has not covered, for who asks at once', { afterMs: 99, asks: ['a', 'd'] }, 'd'],
    ['not for who asks later', { afterMs: 100, asks: ['a', 'd'] }, ''],
    [
      'nor where hints are relied on',
      { afterMs: 99, asks: ['a', 'd'], areNotificationsReliable: true },
      '',
    ],
    ['what a hint is about, at any time', { afterMs: 250, woken: ['b'] }, 'b'],
    [
      'everything, where that costs no more',
      { afterMs: 250, woken: ['b'], reads: 'all' },
      'a b c d',
    ],
    ['nothing while hints are relied on', { afterMs: 4_998, areNotificationsReliable: true }, ''],
    [
      'everything for what they missed',
      { afterMs: 4_999, areNotificationsReliable: true },
      'a b c d',
    ],
  ])('%s', (_, given, chosenNow) => {
    expect(after(given)).toBe(chosenNow);
  });

  it.each([
    ['a moment ago', 0, 191, false],
    ['long enough ago', 0, 192, true],
    ['not long enough ago for an allowance that is spent', 1, 4_799, false],
    ['long enough ago for that', 1, 4_800, true],
  ])('another one that hints cause may follow: %s', (_, spent, afterMs, isDue) => {
    policy = new PollPolicy(pollBudget(spent), options);
    policy.choose(ids, ids, stateOf(aged(3, 1)));
    expect(policy.isWakeUpDue(1, nowMs + afterMs)).toBe(isDue);
  });
});

describe('looks are late', () => {
  it.each([
    ['by their gap beside what things take', 20_000, 40_000, 0.5],
    ['wholly at most', 60_000, 4_000, 1],
    ['not at all while nobody knows what things take', 60_000, undefined, 0],
  ])('%s', (_, gapMs, tookMs, share) => {
    policy = new PollPolicy(pollBudget(0), { ...options, minIntervalMs: () => gapMs });
    if (tookMs !== undefined) learn(tookMs);
    expect(policy.lag(stateOf(aged(3, 1)))).toBe(share);
    expect(policy.lag({ ...stateOf(aged(3, 1)), areNotificationsReliable: true })).toBe(0);
  });
});
