// Which items are polled at which time: all that are due or, while the allowance is tight, those that are probably
// finished.
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
const learn = (ms: number) => policy.observe({ lastOpenAgeMs: ms, ageMs: ms, isFinished: true });
const stateOf = (open: [string, OpenItem][], underWay = 0): PollState => ({
  openItems: new Map(open),
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

describe('throttling of polls', () => {
  it.each([
    ['polls are throttled if half of the allowance is spent', 0.5, 600, 101, 0, true],
    ['polls are not throttled if there is only one page', 0.9, 600, 100, 6_001, false],
    [
      'polls are not throttled if less is spent and a poll of all items is cheap',
      0.4,
      600,
      300,
      6_001,
      false,
    ],
    [
      'polls are throttled if the run needs more than the allowance, and a poll of all items is expensive',
      0,
      600,
      301,
      6_001,
      true,
    ],
    [
      'polls are not throttled if the run needs less than the allowance',
      0.4,
      600,
      301,
      6_000,
      false,
    ],
    [
      'polls are not throttled if it is unknown what the run needs',
      0.4,
      600,
      301,
      undefined,
      false,
    ],
    ['polls are not throttled if the allowance is unknown', 0.9, undefined, 5_000, 6_001, false],
  ])('%s', (_, spent, limit, open, toDo, isTight) => {
    const one = new PollPolicy({ limit, pressure: () => spent }, options);
    one.recordRequest(toDo === undefined ? {} : { assetCount: toDo }, nowMs);
    const isThrottled = (afterMs: number) =>
      one.isThrottled({ ...stateOf(aged(open, 1)), nowMs: nowMs + afterMs });
    expect(isThrottled(59_000)).toBe(isTight);
    expect(isThrottled(60_000)).toBe(isTight && spent >= 0.5);
  });

  it('polls are not throttled while notifications are reliable', () => {
    expect(policy.isThrottled({ ...stateOf(aged(450, 1)), areNotificationsReliable: true })).toBe(
      false,
    );
  });
});

describe('items that are due', () => {
  it('without a throttle, either all due items or none are chosen', () => {
    policy = new PollPolicy(pollBudget(0), options);
    expect(chosen(aged(450, 500))).toBe(450);
    expect(chosen(aged(450, 500), { isTime: false })).toBe(0);
  });

  it('due items are excluded from later pages while they are being read', () => {
    learn(4_000);
    const open = aged(450, 5_000);
    for (const [, item] of open.slice(0, 250)) item.inFlight = Promise.resolve();
    expect(chosenIds(open)[0]).toBe(open[250]?.[0]);
  });
});

describe('choosing items for a throttled poll', () => {
  it.each<[string, [string, OpenItem][], Parameters<typeof chosenIds>[1], number]>([
    ['two full pages of probably finished items', aged(450, 5_000), {}, 200],
    ['full pages, however recent the last poll', aged(450, 5_000), { isTime: false }, 200],
    ['one page while another is in flight', aged(450, 5_000), { underWay: 1 }, 100],
    ['no page while two are in flight', aged(450, 5_000), { underWay: 2 }, 0],
    ['only the full page out of a page and a half', aged(150, 5_000), {}, 100],
    ['half a page once the interval has passed', aged(50, 5_000), {}, 50],
    ['no half page before the interval has passed', aged(50, 5_000), { isTime: false }, 0],
    ['no items that are too young', aged(450, 3_999), {}, 0],
    ['no items that were still open a moment ago', aged(450, 6_000, 5_000), {}, 0],
    [
      'items that were still open, once they are three tenths older',
      aged(450, 6_500, 5_000),
      {},
      200,
    ],
  ])('a throttled poll chooses %s', (_, open, more, count) => {
    learn(4_000);
    expect(chosen(open, more)).toBe(count);
  });

  it('a throttled poll chooses one page while the durations are unknown', () => {
    expect(chosen(aged(450, 500))).toBe(100);
    expect(chosen(aged(450, 500), { isTime: false })).toBe(0);
  });

  it('a throttled poll chooses the oldest items first', () => {
    learn(4_000);
    const open = [...aged(60, 9_000), ...aged(450, 5_000)];
    const ids = chosenIds(open, { underWay: 1 });
    expect(ids.filter((id) => id.startsWith('9000'))).toHaveLength(60);
  });

  it('a throttled poll occasionally chooses a page of younger items if items take minutes', () => {
    learn(300_000);
    expect(chosen(aged(450, 9_999))).toBe(0);
    expect(chosen(aged(450, 10_000))).toBe(100);
    const again = (afterMs: number) =>
      policy.chooseDue({ ...stateOf(aged(450, 10_000)), nowMs: nowMs + afterMs });
    expect([again(14_999).length, again(15_000).length]).toEqual([0, 100]);
  });

  it('a throttled poll chooses either all items or none if a poll reads all items', () => {
    policy = new PollPolicy(pollBudget(0.9), { pageSize: 100, reads: 'all' });
    learn(4_000);
    expect(chosen(aged(150, 5_000))).toBe(150);
    expect(chosen(aged(150, 5_000), { isTime: false })).toBe(0);
    expect(chosen(aged(150, 5_000), { underWay: 1 })).toBe(0);
  });
});

describe('after a poll of a, b and c', () => {
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
    const openItems = new Map(
      [...ids, 'd'].map((id): [string, OpenItem] => [
        id,
        { firstRequestedAtMs: nowMs, lastPolledAtMs: id === 'd' ? nowMs - 1 : nowMs },
      ]),
    );
    const state = { openItems, underWay: 0, areNotificationsReliable, nowMs };
    policy.choose(ids, [], state);
    return policy.choose(asks, woken, { ...state, nowMs: nowMs + afterMs }).join(' ');
  };

  it.each<[string, Case, string]>([
    ['nothing is chosen within the interval', { afterMs: 599 }, ''],
    ['all items are chosen in the next interval', { afterMs: 600 }, 'a b c d'],
    ['nothing is chosen without a request', { afterMs: 600, asks: [] }, ''],
    [
      'only items that were not covered are chosen for a prompt request',
      { afterMs: 99, asks: ['a', 'd'] },
      'd',
    ],
    ['nothing is chosen for a later request', { afterMs: 100, asks: ['a', 'd'] }, ''],
    [
      'nothing is chosen for a prompt request if notifications are reliable',
      { afterMs: 99, asks: ['a', 'd'], areNotificationsReliable: true },
      '',
    ],
    ['the item of a wake-up is chosen at any time', { afterMs: 250, woken: ['b'] }, 'b'],
    [
      'all items are chosen on a wake-up if a poll reads all items',
      { afterMs: 250, woken: ['b'], reads: 'all' },
      'a b c d',
    ],
    [
      'nothing is chosen while notifications are reliable',
      { afterMs: 4_998, areNotificationsReliable: true },
      '',
    ],
    [
      'all items are chosen after about five seconds, in case notifications were missed',
      { afterMs: 4_999, areNotificationsReliable: true },
      'a b c d',
    ],
  ])('after a poll of a, b and c, %s', (_, given, chosenNow) => {
    expect(after(given)).toBe(chosenNow);
  });

  it.each([
    ['is not due a moment later', 0, 191, false],
    ['is due soon', 0, 192, true],
    ['is not due so soon if the allowance is spent', 1, 4_799, false],
    ['is due later if the allowance is spent', 1, 4_800, true],
  ])('after a wake-up for another item, a poll %s', (_, spent, afterMs, isDue) => {
    policy = new PollPolicy(pollBudget(spent), options);
    policy.choose(ids, ids, stateOf(aged(3, 1)));
    expect(policy.isWakeUpDue(1, nowMs + afterMs)).toBe(isDue);
  });
});

describe('poll lag', () => {
  it.each([
    ['is the minimum interval divided by the duration', 20_000, 40_000, 0.5],
    ['is at most 1', 60_000, 4_000, 1],
    ['is 0 while the durations are unknown', 60_000, undefined, 0],
  ])('the poll lag %s', (_, gapMs, tookMs, share) => {
    policy = new PollPolicy(pollBudget(0), { ...options, minIntervalMs: () => gapMs });
    if (tookMs !== undefined) learn(tookMs);
    expect(policy.lag(stateOf(aged(3, 1)))).toBe(share);
    expect(policy.lag({ ...stateOf(aged(3, 1)), areNotificationsReliable: true })).toBe(0);
  });
});
