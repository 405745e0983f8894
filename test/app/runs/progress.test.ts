import { describe, expect, test } from 'vitest';
import { mergeShardProgress, stepRows } from '../../../src/app/runs/fresh-progress.ts';
import {
  createLineProgress,
  formatProgressLine,
  type ProgressReport,
} from '../../../src/app/runs/progress-report.ts';
import { collectWaits, type RunWait } from '../../../src/app/runs/run-waits.ts';
import type { RunProgress } from '../../../src/plan/contract/contract.ts';
import { formatListing } from '../../../src/plan/contract/format-listing.ts';
import { progressReport } from './_progress-report.ts';

describe('a progress line', () => {
  test('a progress line shows how far the listing is while it continues', () => {
    const listing = formatListing({ total: 350_000, nextDiscoveryPage: 8 });
    expect(formatProgressLine(progressReport({ listing }))).toBe(
      'running: 3 of 8 complete, 1 failed, 7 requests, listing: 350,000 so far, 1 min 1 s',
    );
    expect(formatListing({ total: 350_000 })).toBeNull();
  });

  test('a progress line shows counts, requests and duration', () => {
    expect(formatProgressLine(progressReport())).toBe(
      'running: 3 of 8 complete, 1 failed, 7 requests, 1 min 1 s',
    );
  });

  test('a progress line shows waits that take longer than usual, with their cause and start', () => {
    const wait = (sinceMs: number, assets = 3): RunWait => {
      const since = new Date(sinceMs).toISOString();
      return { step: 'shots.wait', assets, since, for: 'the platform to render' };
    };
    const line = (...waits: RunWait[]) => formatProgressLine(progressReport({ waits }));
    expect(line(wait(360_000))).toContain(
      ', 3 are waiting for the platform to render, 4 min so far, 1 min',
    );
    expect(line(wait(0, 1_366))).toContain(', 1,366 are waiting for the platform');
    expect(line(wait(0, 1))).toContain(', 1 is waiting for the platform to render, 10 min so far');
    expect(line(wait(550_000))).not.toContain('wait for');
    const until = '2026-12-01T00:00:00.000Z';
    expect(line({ ...wait(550_000), for: 'the render quota of the next month', until })).toContain(
      ', 3 are waiting for the render quota of the next month, until 2026-12-01 00:00 UTC, 1 min',
    );
    expect(line({ ...wait(0), for: null })).toContain(
      ', 3 are waiting in shots.wait, 10 min so far',
    );
  });

  test('a progress line does not show a run that is under way as starting, even without figures', () => {
    const totals = { total: 0, complete: 0, failed: 0, skipped: 0 };
    const silent = progressReport({
      totals,
      steps: [],
      remark: 'no worker has responded for 20 s',
    });
    expect(formatProgressLine(silent)).toBe(
      'running: no figures yet, 1 min 1 s (no worker has responded for 20 s)',
    );
    expect(formatProgressLine(progressReport({ state: 'starting' }))).toContain(
      'not started by a worker yet',
    );
  });

  test('a progress line shows a remark instead of counts before the first figures', () => {
    const early = progressReport({ state: 'discovering', steps: [], remark: 'no worker' });
    expect(formatProgressLine(early)).toBe(
      'discovering: discovering assets, 1 min 1 s (no worker)',
    );
  });
});

test('a line is printed at most every five seconds, or when the state or the remark changes', () => {
  const lines: string[] = [];
  let nowMs = 0;
  const progress = createLineProgress(
    (line) => lines.push(line),
    () => nowMs,
  );
  const showAt = (ms: number, change: Partial<ProgressReport>) => {
    nowMs = ms;
    progress.show(progressReport({ elapsedMs: ms, ...change }));
    return lines.length;
  };
  expect(showAt(0, {})).toBe(1);
  expect(showAt(1_000, {})).toBe(1);
  expect(showAt(4_999, {})).toBe(1);
  expect(showAt(5_000, {})).toBe(2);
  expect(showAt(5_100, { state: 'paused' })).toBe(3);
  expect(showAt(5_200, { state: 'paused', remark: 'no worker' })).toBe(4);
});

describe('the current progress of shards', () => {
  const totals = (total: number, complete: number, failed = 0) => {
    return { total, complete, failed, skipped: 0 };
  };
  const steps = (waiting: number, done: number) => {
    return { take: { waiting, running: 0, done, failed: 0 } };
  };
  const failure = { key: 'k', node: 'n', code: 'C', message: 'm', attempts: 1 };
  const progress: RunProgress = {
    run: 'r-1',
    pipeline: 'p',
    state: 'running',
    cause: null,
    discovery: null,
    // One shard of 10 is finished, one of 10 has reported 2, and one of 5 has reported nothing.
    totals: totals(25, 12),
    steps: steps(8, 12),
    openShards: [
      {
        shard: 1,
        lastReport: {
          totals: totals(10, 2),
          steps: steps(8, 2),
          requests: { getMe: 3 },
          historyEvents: 20,
        },
      },
      { shard: 2, lastReport: { totals: totals(5, 0) } },
    ],
    inFlight: { assets: 13, max: 20, heldBy: 'nothing' },
    shardsDone: 1,
    failures: [],
    requests: { getMe: 4 },
    historyEvents: 70,
  };

  test('the current progress replaces the last reports of shards', () => {
    const reports = [
      {
        shard: 1,
        totals: totals(10, 6, 1),
        steps: steps(3, 7),
        failures: [failure],
        requests: { getMe: 5, createJob: 1 },
        historyEvents: 31,
      },
      { shard: 2, totals: totals(5, 1), steps: steps(4, 1), failures: [] },
    ];
    const now = mergeShardProgress(progress, reports);
    expect(now.totals).toEqual(totals(25, 17, 1));
    // Assets that have ended since the last reports are no longer in flight.
    expect(now.inFlight.assets).toBe(7);
    expect(stepRows(now, ['take', 'never'])).toEqual([
      { id: 'take', count: { waiting: 7, running: 0, done: 18, failed: 0 } },
    ]);
    expect(now).toMatchObject({
      failures: [failure],
      requests: { getMe: 6, createJob: 1 },
      historyEvents: 81,
      openShards: reports.map((lastReport) => ({ shard: lastReport.shard, lastReport })),
    });
  });

  test('the current progress adds up the waiting assets of each step, with the earliest start', () => {
    const wait = (assets: number, sinceMs: number) => ({
      activity: 'render_complete',
      assets,
      sinceMs,
    });
    const shard = (number: number, waits: Record<string, ReturnType<typeof wait>>) => ({
      shard: number,
      totals: totals(5, 1),
      steps: {},
      failures: [],
      waits,
    });
    const now = mergeShardProgress(progress, [
      shard(1, { 'shots.wait': wait(2, 5_000) }),
      shard(2, {
        'shots.wait': wait(1, 3_000),
        ready: { ...wait(4, 9_000), activity: 'model_ready' },
      }),
    ]);
    expect(collectWaits(now)).toEqual([
      {
        step: 'shots.wait',
        assets: 3,
        since: '1970-01-01T00:00:03.000Z',
        for: 'the platform to render',
      },
      {
        step: 'ready',
        assets: 4,
        since: '1970-01-01T00:00:09.000Z',
        for: 'the platform to process models',
      },
    ]);
    expect(collectWaits(null)).toEqual([]);
  });

  test('the current progress changes nothing if no shard responds', () => {
    expect(mergeShardProgress(progress, [])).toEqual({ ...progress, waits: {} });
  });
});
