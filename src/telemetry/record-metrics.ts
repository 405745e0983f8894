// Records metrics from the events of this process.
import type { MetricMeter } from '@temporalio/common';
import { readMonotonicMs } from '../api/clock.ts';
import { requestEvents, transferEvents } from '../api/events.ts';
import type { BudgetSnapshot } from '../api/rate-limit/budget.ts';
import type { RunEvent } from '../plan/contract/run-events.ts';
import type { Outcome } from '../plan/shard/totals.ts';
import {
  completionEvents,
  finalizedEvents,
  notificationEvents,
  pollEvents,
  runEvents,
  runNoticeEvents,
  stepEvents,
  wakeUpEvents,
} from './events.ts';
import { createRecorder, type Recorder } from './meters.ts';
import { recordQueue } from './record-queue.ts';

/** The part of the rate budget that is sampled periodically. */
export interface SampledBudget {
  snapshot(): BudgetSnapshot;
  pressure(): number;
}

export interface BuildInfo {
  version: string;
  buildId: string;
  process: 'worker' | 'receiver';
}

export interface RecordOptions extends BuildInfo {
  /** The platform's time, epoch ms, because the clock of this machine may be wrong. */
  now: () => number;
  /** The rate budget of the worker's API key. If absent, the process has none. */
  budget?: SampledBudget;
}

const sampleEveryMs = 5_000;

/** Records metrics until the returned function is called. */
export function recordMetrics(meter: MetricMeter, options: RecordOptions): () => void {
  const { version, buildId, process, budget, now } = options;
  const record = createRecorder(meter);
  record('build', 1, { version, build_id: buildId, process });
  const startedAtMs = readMonotonicMs();
  const stops = [
    ...recordPlatform(record),
    ...recordRuns(record, now),
    ...recordReceiver(record, now),
  ];
  stops.push(sample(() => record('uptime', (readMonotonicMs() - startedAtMs) / 1_000, {})));
  if (budget) stops.push(sample(() => sampleBudget(record, budget)));
  return () => {
    for (const stop of stops) stop();
  };
}

function recordPlatform(record: Recorder): (() => void)[] {
  return [
    requestEvents.subscribe(({ operation, status, waitMs, durationMs }) => {
      record('requests', 1, { operation, status: String(status ?? 'none') });
      record('requestTime', durationMs / 1_000, { operation });
      record('waits', waitMs / 1_000, {});
    }),
    transferEvents.subscribe(({ direction, bytes, durationMs, ok }) => {
      record('transfers', 1, { direction, result: ok ? 'done' : 'failed' });
      if (!ok) return;
      record('transferBytes', bytes, { direction });
      record('transferTime', durationMs / 1_000, { direction });
    }),
    pollEvents.subscribe(({ poller, items, wokenItems }) => {
      record('polls', 1, { poller, by: wokenItems > 0 ? 'notification' : 'clock' });
      record('polledItems', items, { poller });
    }),
    completionEvents.subscribe(({ poller, withinMs, hasWakeUp: isByWakeUp }) => {
      const trigger = isByWakeUp ? 'notification' : 'clock';
      record('completionDelay', withinMs / 1_000, { poller, by: trigger });
    }),
  ];
}

function recordRuns(record: Recorder, now: () => number): (() => void)[] {
  const pipelineOf = createLabelLimiter();
  const nodeOf = createLabelLimiter();
  const stepOf = createLabelLimiter();
  return [
    stepEvents.subscribe((event) => {
      const labels = {
        pipeline: pipelineOf(event.pipeline),
        node: nodeOf(event.node),
        step: stepOf(event.step),
      };
      record('stepTime', event.durationMs / 1_000, labels);
      if (event.outcomes === null) return record('stepFailures', 1, labels);
      // Zero is recorded too, because Prometheus sees no increase in a series that starts with its first count.
      for (const [outcome, assets] of Object.entries(event.outcomes)) {
        record('stepAssets', assets, { ...labels, outcome });
      }
    }),
    finalizedEvents.subscribe((event) => {
      const pipeline = pipelineOf(event.pipeline);
      for (const [outcome, assets] of Object.entries(event.outcomes)) {
        record('assets', assets, { pipeline, outcome });
      }
      for (const [code, assets] of Object.entries(event.codes)) {
        record('assetFailures', assets, { pipeline, code });
      }
    }),
    runNoticeEvents.subscribe(({ problem }) =>
      record('runNotices', 1, { result: problem === null ? 'done' : 'failed' }),
    ),
    runEvents.subscribe((event) => recordRun(record, event, pipelineOf(event.pipeline))),
    recordQueue(record, { pipelineOf, onPipeline: (pipeline) => beginRuns(record, pipeline), now }),
  ];
}

const outcomes: readonly Outcome[] = ['complete', 'partial_failure', 'failed', 'cancelled'];

/**
 * Starts the series of all outcomes at 0 on every worker: a run may finish on any worker, and Prometheus sees no
 * increase in a series that starts with its first count.
 */
function beginRuns(record: Recorder, pipeline: string): void {
  for (const outcome of outcomes) record('runsEnded', 0, { pipeline, outcome });
  for (const lateness of ['expected', 'late']) record('runsLate', 0, { pipeline, lateness });
}

function recordRun(record: Recorder, event: RunEvent, pipeline: string): void {
  switch (event.kind) {
    case 'run-started':
      record('runsStarted', 1, { pipeline });
      beginRuns(record, pipeline);
      if (event.lagMs !== null) record('scheduleLag', event.lagMs / 1_000, { pipeline });
      break;
    case 'run-discovered':
      for (const [kind, assets] of Object.entries(event.added)) {
        if (assets > 0) record('assetsFound', assets, { pipeline, kind });
      }
      break;
    case 'run-paused':
      record('runPauses', 1, { pipeline, cause: event.cause });
      break;
    case 'run-late':
      record('runsLate', 1, { pipeline, lateness: event.lateness });
      break;
    case 'run-finished':
      record('runsEnded', 1, { pipeline, outcome: event.end.outcome });
      record('runTime', event.end.seconds, { pipeline });
      break;
    default:
  }
}

function recordReceiver(record: Recorder, now: () => number): (() => void)[] {
  return [
    notificationEvents.subscribe((verdict) => {
      record('notifications', 1, { verdict });
      if (verdict === 'accepted') record('lastNotification', now() / 1_000, {});
    }),
    wakeUpEvents.subscribe(({ wakeUps }) => record('wakeUps', wakeUps, {})),
  ];
}

function sampleBudget(record: Recorder, budget: SampledBudget): void {
  const { spent, limit, waiting } = budget.snapshot();
  record('used', spent, {});
  if (limit !== undefined) record('limit', limit, {});
  record('pressure', budget.pressure(), {});
  record(
    'waiting',
    Object.values(waiting).reduce((sum, count) => sum + count, 0),
    {},
  );
}

/** Samples now and every few seconds. The timer does not keep the process alive. */
function sample(read: () => void): () => void {
  read();
  const timer = setInterval(read, sampleEveryMs).unref();
  return () => clearInterval(timer);
}

/** Maximum number of values of a label. Further pipelines, nodes or steps share one series. */
const maxValues = 200;
const otherLabel = 'other';

/**
 * Limits the values of a label that pipeline files choose, because each value creates a series.
 * @returns a function that returns its value, or `other` once `maxLabels` different values were seen
 */
export function createLabelLimiter(maxLabels = maxValues): (value: string) => string {
  const seenValues = new Set<string>();
  return (value) => {
    if (seenValues.has(value)) return value;
    if (seenValues.size >= maxLabels) return otherLabel;
    seenValues.add(value);
    return value;
  };
}
