// Tests that each event is counted once with the labels of the registry, and that no metric is recorded without
// subscribers.
import type { MetricMeter, MetricTags } from '@temporalio/common';
import { afterEach, describe, expect, it } from 'vitest';
import { requestEvents, transferEvents, withTransferEvent } from '../../src/api/events.ts';
import {
  finalizedEvents,
  notificationEvents,
  pollEvents,
  runEvents,
  stepEvents,
} from '../../src/telemetry/events.ts';
import { type Instrument, instruments } from '../../src/telemetry/instruments.ts';
import { recordMetrics } from '../../src/telemetry/record-metrics.ts';

let written: { name: string; value: number; tags: MetricTags }[] = [];
let stop = () => {};
afterEach(() => stop());

function listen(): void {
  written = [];
  const writer =
    (name: string) =>
    (value: number, tags: MetricTags = {}) =>
      void written.push({ name, value, tags });
  const meter = {
    createCounter: (name: string) => ({ add: writer(name) }),
    createGauge: (name: string) => ({ set: writer(name) }),
    createHistogram: (name: string) => ({ record: writer(name) }),
  };
  const build = { version: '1.2.3', buildId: '4059265ec511', process: 'worker' } as const;
  stop = recordMetrics(meter as unknown as MetricMeter, { ...build, now: () => 5_000 });
}

const step = {
  pipeline: 'shoes',
  run: 'r',
  shard: 0,
  node: 'shots',
  step: 'shots.wait',
  type: 'render',
  attempt: 1,
  assets: 3,
  durationMs: 1_500,
};
const news: [string, () => void, string, number, MetricTags][] = [
  [
    'a request',
    () =>
      requestEvents.emit({
        operation: 'listRenders',
        status: 429,
        startedAtMs: 0,
        waitMs: 2_000,
        durationMs: 10,
      }),
    'renderline_api_requests',
    1,
    { operation: 'listRenders', status: '429' },
  ],
  [
    'the wait of a request',
    () =>
      requestEvents.emit({
        operation: 'listRenders',
        status: 200,
        startedAtMs: 0,
        waitMs: 2_000,
        durationMs: 10,
      }),
    'renderline_allowance_wait',
    2,
    {},
  ],
  [
    'a request without a response',
    () => requestEvents.emit({ operation: 'createJob', startedAtMs: 0, waitMs: 0, durationMs: 10 }),
    'renderline_api_requests',
    1,
    { operation: 'createJob', status: 'none' },
  ],
  [
    'a transfer',
    () => transferEvents.emit({ direction: 'upload', bytes: 900, durationMs: 10, ok: true }),
    'renderline_transfer_bytes',
    900,
    { direction: 'upload' },
  ],
  [
    'a poll',
    () => pollEvents.emit({ poller: 'renders', items: 12, wokenItems: 0 }),
    'renderline_polls',
    1,
    { poller: 'renders', by: 'clock' },
  ],
  [
    'a step',
    () => stepEvents.emit({ ...step, outcomes: { done: 2, pruned: 0, failed: 1, retry: 0 } }),
    'renderline_step_assets',
    2,
    { pipeline: 'shoes', node: 'shots', step: 'shots.wait', outcome: 'done' },
  ],
  [
    'an attempt that failed',
    () => stepEvents.emit({ ...step, outcomes: null }),
    'renderline_step_failures',
    1,
    { pipeline: 'shoes', node: 'shots', step: 'shots.wait' },
  ],
  [
    'results',
    () =>
      finalizedEvents.emit({ pipeline: 'shoes', run: 'r', outcomes: { complete: 7 }, codes: {} }),
    'renderline_assets',
    7,
    { pipeline: 'shoes', outcome: 'complete' },
  ],
  [
    'failures by code',
    () =>
      finalizedEvents.emit({
        pipeline: 'shoes',
        run: 'r',
        outcomes: { failed: 3 },
        codes: { RENDER_FAILED: 2, OTHER: 1 },
      }),
    'renderline_asset_failures',
    2,
    { pipeline: 'shoes', code: 'RENDER_FAILED' },
  ],
  [
    'outcomes that a step has not had yet, with the value 0 so that their first count is an increase',
    () => stepEvents.emit({ ...step, outcomes: { done: 2, pruned: 0, failed: 0, retry: 0 } }),
    'renderline_step_assets',
    0,
    { pipeline: 'shoes', node: 'shots', step: 'shots.wait', outcome: 'failed' },
  ],
  [
    'a scheduled run',
    () => runEvents.emit({ kind: 'run-started', pipeline: 'shoes', run: 'r', lagMs: 3_000 }),
    'renderline_schedule_lag',
    3,
    { pipeline: 'shoes' },
  ],
  [
    'a pause',
    () => runEvents.emit({ kind: 'run-paused', pipeline: 'shoes', run: 'r', cause: 'DISK_FULL' }),
    'renderline_run_pauses',
    1,
    { pipeline: 'shoes', cause: 'DISK_FULL' },
  ],
  [
    'a notification',
    () => notificationEvents.emit('refused'),
    'renderline_webhook_notifications',
    1,
    { verdict: 'refused' },
  ],
];

it('the build and the process are recorded', () => {
  listen();
  expect(written).toContainEqual({
    name: 'renderline_build_info',
    value: 1,
    tags: { version: '1.2.3', build_id: '4059265ec511', process: 'worker' },
  });
});

it('only accepted notifications set the time of the last notification', () => {
  listen();
  const name = 'renderline_webhook_last_accepted_timestamp_seconds';
  notificationEvents.emit('refused');
  expect(written.filter((one) => one.name === name)).toEqual([]);
  notificationEvents.emit('accepted');
  expect(written).toContainEqual({ name, value: 5, tags: {} });
});

describe('metrics', () => {
  it.each(news)('metrics are recorded for %s', (_what, tell, name, value, tags) => {
    listen();
    tell();
    expect(written).toContainEqual({ name, value, tags });
  });

  it.each(news)('metrics have exactly the labels of the registry for %s', (_what, tell) => {
    listen();
    tell();
    const all: readonly Instrument[] = Object.values(instruments);
    for (const { name, tags } of written) {
      const labels = all.find((one) => one.name === name)?.labels;
      expect(Object.keys(tags).toSorted()).toEqual([...(labels ?? [])].toSorted());
    }
  });

  it('no metric is recorded after the recording has been stopped', () => {
    listen();
    stop();
    written = [];
    for (const [, tell] of news) tell();
    expect(written).toEqual([]);
    expect(requestEvents.hasSubscribers).toBe(false);
  });
});

it('a failed transfer is recorded, and its error is passed on', async () => {
  listen();
  const work = () => Promise.reject(new Error('cut'));
  await expect(withTransferEvent('download', work, () => 0)).rejects.toThrow('cut');
  expect(written).toEqual(
    expect.arrayContaining([
      { name: 'renderline_transfers', value: 1, tags: { direction: 'download', result: 'failed' } },
    ]),
  );
});
