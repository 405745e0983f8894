// Tests how many assets a run has in flight: what blocks another shard, and when a shard frees its part of the window.
import { describe, expect, it, test } from 'vitest';
import { hasManyShards } from '../../src/plan/contract/sharding.ts';
import { ShardState } from '../../src/plan/shard/shard-state.ts';
import {
  findWindowHold,
  formatInFlight,
  isLoadLimit,
  isMostlyWaiting,
  type Load,
  noLoad,
} from '../../src/plan/shard/window.ts';
import { steps } from './_steps.ts';

const busy: Load = { pressure: 0.9, memory: 0.1 };
const late: Load = { pressure: 0.7, memory: 0.1, pollLag: 0.5 };
const full: Load = { pressure: 0.1, memory: 0.7 };
const noHold = () => false;

describe('another shard of 250 assets', () => {
  /** Numbers of shards, detached shards, waiting shards, and assets in flight. */
  type Now = [shards: number, parked: number, waiting: number, assets: number];
  test.each<[string, Now, Load, string]>([
    ['may start if none is running', [0, 0, 0, 0], noLoad, 'nothing'],
    ['may start below the window', [7, 0, 0, 1_750], noLoad, 'nothing'],
    ['may start below the window whatever the load is', [7, 0, 0, 1_750], busy, 'nothing'],
    ['may not start if all shards of the window are in calls', [8, 0, 0, 2_000], noLoad, 'work'],
    ['waits for the allowance if calls are queued', [8, 0, 0, 2_000], busy, 'allowance'],
    ['may start for each waiting shard', [8, 0, 1, 2_000], noLoad, 'nothing'],
    ['may start for each detached shard', [8, 1, 0, 1_750], noLoad, 'nothing'],
    ['may not start if the shards started for them are in calls', [9, 0, 1, 2_250], noLoad, 'work'],
    ['may start for many waiting shards', [60, 0, 53, 15_000], noLoad, 'nothing'],
    [
      'may not start above the window while the allowance is spent',
      [8, 0, 8, 2_000],
      busy,
      'allowance',
    ],
    ['may not start above the window while memory is short', [8, 0, 8, 2_000], full, 'memory'],
    ['may not start above the window while polls are late', [8, 0, 8, 2_000], late, 'polling'],
    ['may fill the limit', [99, 0, 99, 24_750], noLoad, 'nothing'],
    ['may not exceed the limit', [100, 0, 100, 24_751], noLoad, 'limit'],
    ['may not exceed the limit below the window either', [2, 0, 0, 24_751], noLoad, 'limit'],
    ['may not exceed a thousand shards', [1_000, 995, 0, 5], noLoad, 'limit'],
  ])('another shard %s', (_what, [shards, detached, waiting, assets], load, heldBy) => {
    const now = { shards, detached, waiting, assets };
    expect(findWindowHold(now, 250, { window: 8, maxAssets: 25_000, load })).toBe(heldBy);
  });

  it('another shard may start if no assets are in flight, even if it exceeds the limit', () => {
    const none = { shards: 1, detached: 1, waiting: 0, assets: 0 };
    expect(findWindowHold(none, 250, { window: 8, maxAssets: 100, load: noLoad })).toBe('nothing');
  });

  it('another shard is considered again later if only the load blocks it', () => {
    const all = ['nothing', 'work', 'allowance', 'polling', 'memory', 'limit'] as const;
    expect(all.filter(isLoadLimit)).toEqual(['allowance', 'polling', 'memory']);
  });
});

describe('the load of a shard', () => {
  test.each([
    ['is waiting if nine in ten of its open assets wait', 10, 1, false, true],
    ['is not waiting if fewer of them wait', 10, 2, false, false],
    ['stays waiting while no more than half of its open assets are in calls', 10, 5, true, true],
    ['is no longer waiting if more than half of its open assets are in calls', 10, 6, true, false],
    ['is waiting with its last slow asset', 1, 0, false, true],
    ['is not waiting if all assets have ended', 0, 0, false, false],
  ])('a shard %s', (_what, open, atCalls, waited, waits) => {
    expect(isMostlyWaiting({ open, inCalls: atCalls }, waited)).toBe(waits);
  });

  it('the load counts unfinished assets and those in calls, which do not include side steps and waits', () => {
    const shape = { make: [], wait: ['make'], tell: ['make'], last: ['wait', 'tell'] };
    const more = { wait: { mode: 'wait' as const }, tell: { isSideStep: true as const } };
    const state = new ShardState(steps(shape, more), [0, 1, 2]);
    expect(state.work(noHold)).toEqual({ open: 3, inCalls: 3 });
    state.takeReady(0, 0);
    expect(state.work(noHold)).toEqual({ open: 3, inCalls: 3 });
    const none = { done: [], pruned: [], failed: [], retry: [], pages: [], reportedFailures: [] };
    state.apply(0, [0, 1, 2], { ...none, done: [0, 1], failed: [2] });
    expect(state.work(noHold)).toEqual({ open: 2, inCalls: 0 });
    state.takeReady(1, 0);
    state.apply(1, [0, 1], { ...none, done: [0, 1] });
    state.takeReady(2, 0);
    state.apply(2, [0], { ...none, done: [0] });
    expect(state.work(noHold)).toEqual({ open: 2, inCalls: 1 });
  });

  it('the load does not count assets that a hold keeps from a call, but counts running calls of the step', () => {
    const state = new ShardState(steps({ render: [], tell: [] }, { render: { batch: 1 } }), [0, 1]);
    const isHeld = (step: string) => step === 'render';
    expect(state.work(isHeld)).toEqual({ open: 2, inCalls: 2 });
    const none = { done: [], pruned: [], failed: [], retry: [], pages: [], reportedFailures: [] };
    state.takeReady(1, 0);
    state.apply(1, [0, 1], { ...none, done: [0, 1] });
    expect(state.work(noHold)).toEqual({ open: 2, inCalls: 2 });
    expect(state.work(isHeld)).toEqual({ open: 2, inCalls: 0 });
    state.takeReady(0, 0);
    expect(state.work(isHeld)).toEqual({ open: 2, inCalls: 2 });
  });
});

describe('a run with many shards', () => {
  const found = (pages: number, fresh: number) => ({
    pages,
    total: fresh,
    new: fresh,
    changed: 0,
    refused: 0,
  });

  test('a run has many shards while its listing continues', () => {
    const goesOn = { ...found(1, 250), nextDiscoveryPage: 1 };
    expect(hasManyShards({ window: 8, inFlight: 25_000 }, goesOn)).toBe(true);
  });

  test.each([
    ['a run has many shards if there are more than its window', 2_250, 9, 25_000, true],
    [
      'a run does not have many shards if all of them start at the same time',
      2_000,
      8,
      25_000,
      false,
    ],
    ['a run has many shards if the limit makes them start one after the other', 600, 3, 500, true],
  ])('%s', (_what, assets, pages, inFlight, many) => {
    expect(hasManyShards({ window: 8, inFlight }, found(pages, assets))).toBe(many);
  });
});

test('formatInFlight() states the number of assets in flight and what the next shard waits for', () => {
  const words = formatInFlight({ assets: 12_500, max: 1_000_000, heldBy: 'allowance' });
  expect(words).toBe(
    '12,500 of at most 1,000,000 assets in flight; the next shard waits for the rate limit',
  );
});
