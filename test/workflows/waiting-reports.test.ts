// Tests the exact times at which a shard reports, finalizes ended assets, and reports that its assets wait.
import { describe, expect, it, test } from 'vitest';
import type { ShardProgress } from '../../src/plan/shard/totals.ts';
import { OpenShards } from '../../workflows/run/open-shards.ts';
import { FinalizeBatcher } from '../../workflows/shard/finalize-batcher.ts';
import { ShardReports } from '../../workflows/shard/shard-reports.ts';
import { ShardWaits } from '../../workflows/shard/shard-waits.ts';
import { WaitingReports } from '../../workflows/shard/waiting-reports.ts';

const s = 1_000;
const min = 60 * s;
const h = 60 * min;

const failedSoFar = (failed: number) => ({ total: 50, complete: 0, failed, skipped: 0 });

/** The time from which a report is due, to the millisecond; null if it is not due within a day. */
function dueAt(reports: ShardReports, failed = 0): number | null {
  let [before, due] = [-1, 24 * h];
  if (!reports.isDue(failedSoFar(failed), due)) return null;
  while (due - before > 1) {
    const middle = Math.floor((before + due) / 2);
    if (reports.isDue(failedSoFar(failed), middle)) due = middle;
    else before = middle;
  }
  return due;
}

describe('a report', () => {
  // The next one is due after twice the age of the shard: at least 4 s, at most 5 min.
  test.each([
    [0, 4 * s],
    [1 * s, 5 * s],
    [2 * s, 6 * s],
    [10 * s, 30 * s],
    [149 * s, 447 * s],
    [150 * s, 450 * s],
    [151 * s, 451 * s],
    [5 * h, 5 * h + 5 * min],
  ])('after a report at %i ms, the next is due at %i ms', (toldAtMs, dueMs) => {
    const reports = new ShardReports(0, 0, false);
    reports.recordReport(failedSoFar(0), toldAtMs);
    expect(dueAt(reports)).toBe(dueMs);
  });

  it('the time of a report depends on the age of the shard, not of its execution', () => {
    expect(dueAt(new ShardReports(0, 60 * s, false))).toBe(180 * s);
    expect(dueAt(new ShardReports(60 * s, 60 * s, false))).toBe(64 * s);
  });

  describe('failures that the run counts', () => {
    it('a report of the first failure is due immediately', () => {
      expect(dueAt(new ShardReports(0, 60 * s, true), 1)).toBe(0);
    });

    it('a report of more failures is due four seconds after the previous one, however old the shard is', () => {
      const reports = new ShardReports(0, 0, true);
      reports.recordReport(failedSoFar(1), h);
      expect(dueAt(reports, 2)).toBe(h + 4 * s);
    });

    test.each([
      ['is due at the usual time if the failures were reported already', true, 2, h + 5 * min],
      ['is due at the usual time if the run does not count failures', false, 3, h + 5 * min],
    ])('a report of failures %s', (_, counts, failed, dueMs) => {
      const reports = new ShardReports(0, 0, counts);
      reports.recordReport(failedSoFar(2), h);
      expect(dueAt(reports, failed)).toBe(dueMs);
    });
  });
});

describe('assets that have ended', () => {
  const ended = (from: number, count: number) =>
    Array.from({ length: count }, (_, at) => ({
      assetIndex: from + at,
      outcome: 'complete' as const,
    }));

  it('no write is due if no asset has ended', () => {
    expect(new FinalizeBatcher(0).dueAtMs()).toBeNull();
  });

  // The delay is 8 % of the shard's age, at least ten seconds and at most five minutes.
  test.each([
    [0, 10 * s],
    [125 * s, 135 * s],
    [126 * s, 126 * s + 10_080],
    [10 * min, 10 * min + 48 * s],
    [h, h + 288 * s],
    [10 * h, 10 * h + 5 * min],
  ])('a batch of ended assets whose first ended at %i ms is due at %i ms', (firstAtMs, dueMs) => {
    const settling = new FinalizeBatcher(0);
    settling.add(ended(0, 1), firstAtMs);
    settling.add(ended(1, 98), firstAtMs + 9 * s);
    expect(settling.dueAtMs()).toBe(dueMs);
  });

  it('ended assets are written immediately if there are a hundred', () => {
    const settling = new FinalizeBatcher(0);
    settling.add(ended(0, 99), 5 * s);
    expect(settling.dueAtMs()).toBe(15 * s);
    settling.add(ended(99, 1), 6 * s);
    expect(settling.dueAtMs()).toBe(5 * s);
  });

  it('ended assets are written 250 at a time, in order', () => {
    const settling = new FinalizeBatcher(0);
    settling.add(ended(0, 260), 0);
    expect(settling.take().map(({ assetIndex: at }) => at)).toEqual(
      ended(0, 250).map(({ assetIndex: at }) => at),
    );
    expect(settling.size).toBe(10);
    expect(settling.take().map(({ assetIndex: at }) => at)).toEqual(
      ended(250, 10).map(({ assetIndex: at }) => at),
    );
    expect(settling.dueAtMs()).toBeNull();
  });

  it('ended assets that could not be written are the first of the next batch', () => {
    const settling = new FinalizeBatcher(0);
    settling.add(ended(0, 2), 0);
    const taken = settling.take();
    settling.add(ended(2, 1), 0);
    settling.putBack(taken);
    expect(settling.take().map(({ assetIndex: at }) => at)).toEqual([0, 1, 2]);
  });

  it('a write is due ten seconds after its first asset ended, even if earlier assets were already written', () => {
    const settling = new FinalizeBatcher(0);
    settling.add(ended(0, 1), 0);
    settling.take();
    settling.add(ended(1, 1), 60 * s);
    expect(settling.dueAtMs()).toBe(70 * s);
  });
});

const report = (shard: number, complete: number): ShardProgress => ({
  shard,
  totals: { total: 5, complete, failed: 0, skipped: 0 },
  steps: {},
  failures: [],
});

describe('shards in flight', () => {
  it('shards in flight keep their last report until they end', () => {
    const open = new OpenShards();
    open.start(3);
    expect(open.reports()).toEqual([[3, null]]);
    open.report(report(3, 1));
    open.report(report(3, 2));
    expect(open.reports()).toEqual([[3, report(3, 2)]]);
    expect(open.remove(3)).toEqual(report(3, 2));
    expect(open.remove(3)).toBeNull();
    expect(open.has(3)).toBe(false);
  });

  it('shards that have ended are not opened again by a late report', () => {
    const open = new OpenShards();
    open.start(0);
    open.remove(0);
    open.report(report(0, 5));
    open.setDetached(0, true);
    expect([open.size, open.busy, open.shardNumbers()]).toEqual([0, 0, []]);
  });

  it('shards with only side steps left do not count as busy, until they have work again', () => {
    const open = new OpenShards();
    for (const shard of [0, 1, 2]) open.start(shard);
    open.setDetached(1, true);
    expect([open.size, open.busy]).toEqual([3, 2]);
    open.setDetached(1, true);
    expect(open.busy).toBe(2);
    open.setDetached(1, false);
    expect(open.busy).toBe(3);
    open.setDetached(2, true);
    open.remove(2);
    expect([open.size, open.busy, open.shardNumbers()]).toEqual([2, 2, [0, 1]]);
  });
});

describe('shards in flight as counted by the window', () => {
  const sizeOf = () => 10;

  it('the window counts the unfinished assets of the last reports, without detached shards', () => {
    const open = new OpenShards();
    for (const shard of [0, 1, 2]) open.start(shard);
    open.report(report(0, 4));
    open.setWaiting(1, true);
    open.setWaiting(2, true);
    open.setDetached(2, true);
    expect(open.inFlight(sizeOf)).toEqual({ shards: 3, detached: 1, waiting: 1, assets: 16 });
    open.setWaiting(1, false);
    open.setWaiting(7, true);
    expect(open.inFlight(sizeOf)).toMatchObject({ shards: 3, waiting: 0 });
  });

  it('shards in flight are carried into a continuation as a few numbers, and are marked as inherited', () => {
    const open = new OpenShards();
    for (const shard of [3, 4, 5]) open.start(shard);
    open.report(report(3, 4));
    open.setWaiting(4, true);
    open.setDetached(5, true);
    const carried = open.carried();
    expect(carried).toEqual([
      [3, 0, 4, 0, 0],
      [4, 1, 0, 0, 0],
      [5, 2, 0, 0, 0],
    ]);
    const next = new OpenShards(carried);
    expect(next.inFlight(sizeOf)).toEqual(open.inFlight(sizeOf));
    expect(next.carried()).toEqual(carried);
    next.start(6);
    expect(next.inherited()).toEqual([3, 4, 5]);
    expect(next.remove(3)?.totals).toEqual({ total: 0, complete: 4, failed: 0, skipped: 0 });
    expect(open.inherited()).toEqual([]);
  });
});

describe('a shard whose assets wait', () => {
  const waiting = { open: 10, inCalls: 0 };
  const working = { open: 10, inCalls: 10 };
  const askAt = (atMs: number) => ({ nextCheckAtMs: atMs });

  it('a shard whose assets wait reports after ten seconds, and not before it is twenty seconds old', () => {
    const young = new WaitingReports(0, false);
    expect(young.check(waiting, 2 * s)).toEqual(askAt(20 * s));
    expect(young.check(waiting, 19 * s)).toEqual(askAt(20 * s));
    expect(young.check(waiting, 20 * s)).toBe('report');
    expect(young.waits).toBe(true);
    expect(young.check(waiting, 60 * s)).toBeNull();
    const old = new WaitingReports(0, false);
    expect(old.check(waiting, 60 * s)).toEqual(askAt(70 * s));
  });

  it('a shard whose assets wait does not report if it is done sooner', () => {
    const pace = new WaitingReports(0, false);
    expect(pace.check(waiting, 2 * s)).toEqual(askAt(20 * s));
    expect(pace.check({ open: 0, inCalls: 0 }, 15 * s)).toBeNull();
  });

  it('a shard whose assets wait only briefly is checked less and less often', () => {
    const pace = new WaitingReports(0, false);
    const looks: number[] = [];
    for (let ms = 0; ms < 10 * min; ms += s) {
      const news = pace.check(ms % (4 * s) === 0 ? working : waiting, ms);
      if (news !== null && news !== 'report' && looks.at(-1) !== news.nextCheckAtMs)
        looks.push(news.nextCheckAtMs);
    }
    expect(pace.waits).toBe(false);
    expect(looks.length).toBeLessThanOrEqual(10);
  });

  it('a shard whose assets waited reports that it works again after ten seconds of work, without an extra check', () => {
    const pace = new WaitingReports(0, true);
    expect(pace.check(working, 30 * s)).toBeNull();
    expect(pace.check(working, 39 * s)).toBeNull();
    expect(pace.check(working, 40 * s)).toBe('report');
    expect(pace.waits).toBe(false);
  });
});

describe('the average time of assets in a step', () => {
  it('the average time is the mean of finished assets, half of it from the newest', () => {
    const waits = new ShardWaits();
    waits.recordDurations('render', [taken(0), taken(10 * s)], 30 * s);
    expect(waits.waitDurationsMs).toEqual({ render: 25 * s });
    waits.recordDurations('render', [taken(30 * s)], 35 * s);
    expect(waits.waitDurationsMs).toEqual({ render: 15 * s });
    waits.recordDurations('render', [], 99 * s);
    waits.recordDurations('ready', [], 99 * s);
    expect(waits.waitDurationsMs).toEqual({ render: 15 * s });
  });

  it('the average time is carried over in whole milliseconds', () => {
    const waits = new ShardWaits({ render: 1_001 });
    waits.recordDurations('render', [taken(0)], 1_000);
    waits.recordDurations('ready', [taken(0)], 7);
    expect(waits.waitDurationsMs).toEqual({ render: 1_001, ready: 7 });
  });
});

function taken(enteredAtMs: number) {
  return { assetIndex: 0, enteredAtMs };
}
