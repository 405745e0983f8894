// Tests the gauges of a task queue: unknown values are NaN, and labels that disappear are still written.
import { afterEach, describe, expect, it } from 'vitest';
import { type OpenRun, type QueueStatus, queueEvents } from '../../src/telemetry/events.ts';
import type { Recorder } from '../../src/telemetry/meters.ts';
import { recordQueue } from '../../src/telemetry/record-queue.ts';

let shown: Record<string, number> = {};
let pipelines: string[] = [];
let stop = () => {};
afterEach(() => stop());

const nowMs = 10_000_000;

function listen(pipelineOf = (pipeline: string) => pipeline): void {
  shown = {};
  pipelines = [];
  const record: Recorder = (id, value, tags) => {
    shown[[id, ...Object.values(tags)].join(' ')] = value;
  };
  stop = recordQueue(record, {
    pipelineOf,
    onPipeline: (pipeline) => pipelines.push(pipeline),
    now: () => nowMs,
  });
}

const run = (more: Partial<OpenRun> = {}): OpenRun => ({
  pipeline: 'shoes',
  state: 'working',
  startedAtMs: nowMs - 60_000,
  pinnedTo: null,
  ...more,
});
const status = (more: Partial<QueueStatus> = {}): QueueStatus => ({
  openRuns: [],
  workers: new Map(),
  failing: 0,
  schedules: [],
  ...more,
});

describe('open runs', () => {
  it('open runs are counted by pipeline and state, with the age of the oldest', () => {
    listen();
    const openRuns = [run(), run({ state: 'paused', startedAtMs: nowMs - 3_600_000 }), run()];
    queueEvents.emit(status({ openRuns }));
    expect(shown).toMatchObject({
      'openRuns shoes working': 2,
      'openRuns shoes paused': 1,
      'openRuns shoes unknown': 0,
      'openRunAge shoes': 3_600,
    });
    expect(pipelines).toEqual(['shoes']);
  });

  it('open runs are 0 after they have ended, and NaN if they cannot be read', () => {
    listen();
    queueEvents.emit(status({ openRuns: [run()] }));
    queueEvents.emit(status());
    expect(shown).toMatchObject({ 'openRuns shoes working': 0, 'openRunAge shoes': 0 });
    queueEvents.emit(status({ openRuns: null }));
    expect(shown).toMatchObject({
      'openRuns shoes working': Number.NaN,
      'openRunAge shoes': Number.NaN,
    });
  });

  it('open runs that were never read have no value', () => {
    listen();
    queueEvents.emit(status({ openRuns: null, workers: null, schedules: null }));
    expect(shown).toEqual({ failingWorkflows: 0 });
  });

  it('open runs of pipelines without their own series are added up in one series', () => {
    listen(() => 'other');
    queueEvents.emit(status({ openRuns: [run(), run({ pipeline: 'hats' })] }));
    expect(shown['openRuns other working']).toBe(2);
  });
});

describe('builds', () => {
  const pinnedTo = 'catalog:v1';

  it('builds without workers have stranded runs if runs are pinned to them', () => {
    listen();
    const workers = new Map([['catalog:v2', 3]]);
    queueEvents.emit(status({ openRuns: [run({ pinnedTo }), run()], workers }));
    expect(shown).toMatchObject({ 'strandedRuns v1': 1, 'queueWorkers v2': 3 });
    queueEvents.emit(status({ openRuns: [run({ pinnedTo })], workers: new Map([[pinnedTo, 1]]) }));
    expect(shown).toMatchObject({
      'strandedRuns v1': 0,
      'queueWorkers v1': 1,
      'queueWorkers v2': 0,
    });
  });

  it('builds have no metric of stranded runs while the number of workers is unknown', () => {
    listen();
    queueEvents.emit(status({ openRuns: [run({ pinnedTo })], workers: null }));
    expect(Object.keys(shown).filter((name) => name.startsWith('stranded'))).toEqual([]);
  });
});

describe('schedules', () => {
  const nightly = { schedule: 'shoes/nightly', lastSuccessAtMs: 5_000, periodMs: 86_400_000 };

  it('schedules show their last success and their period, in seconds', () => {
    listen();
    queueEvents.emit(status({ schedules: [nightly] }));
    expect(shown).toMatchObject({
      'scheduleSuccess shoes/nightly': 5,
      'schedulePeriod shoes/nightly': 86_400,
    });
  });

  it('schedules that never succeeded have no last success, and paused schedules have no period', () => {
    listen();
    queueEvents.emit(
      status({ schedules: [{ ...nightly, lastSuccessAtMs: null, periodMs: null }] }),
    );
    expect(shown).not.toHaveProperty('scheduleSuccess shoes/nightly');
    expect(shown['schedulePeriod shoes/nightly']).toBeNaN();
  });

  it('removed schedules have the value NaN', () => {
    listen();
    queueEvents.emit(status({ schedules: [nightly] }));
    queueEvents.emit(status());
    expect(shown['schedulePeriod shoes/nightly']).toBeNaN();
    expect(shown['scheduleSuccess shoes/nightly']).toBeNaN();
  });
});
