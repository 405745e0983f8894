// Records metrics from the events of this process.
import type { MetricMeter } from '@temporalio/common';
import type { BudgetSnapshot } from '../api/budget.ts';
import { monotonicMs } from '../api/clock.ts';
import { toldRequests, toldTransfers } from '../api/told.ts';
import type { RunNews } from '../plan/run-news.ts';
import type { Outcome } from '../plan/totals.ts';
import { boundedLabel } from './bounded-label.ts';
import { type Recorder, recorderOf } from './meters.ts';
import { recordQueue } from './record-queue.ts';
import {
  toldHints,
  toldLooks,
  toldNoticed,
  toldReceived,
  toldRunNotices,
  toldRuns,
  toldSettled,
  toldSteps,
} from './told.ts';

/** The part of the budget that is sampled periodically. */
export interface Sampled {
  snapshot(): BudgetSnapshot;
  pressure(): number;
}

/** Version and kind of the process. */
export interface BuildInfo {
  version: string;
  /** Build id of the workflow code. */
  buildId: string;
  process: 'worker' | 'receiver';
}

export interface RecordOptions extends BuildInfo {
  /** The platform's time, epoch ms, because the clock of this machine may be wrong. */
  now: () => number;
  /** The budget of the worker's key; absent: the process has none. */
  budget?: Sampled;
}

const sampleEveryMs = 5_000;

/** Records until the returned function is called. */
export function recordMetrics(meter: MetricMeter, options: RecordOptions): () => void {
  const { version, buildId, process, budget, now } = options;
  const record = recorderOf(meter);
  record('build', 1, { version, build_id: buildId, process });
  const startedMs = monotonicMs();
  const stops = [
    ...recordPlatform(record),
    ...recordRuns(record, now),
    ...recordReceiver(record, now),
  ];
  stops.push(sample(() => record('uptime', (monotonicMs() - startedMs) / 1_000, {})));
  if (budget) stops.push(sample(() => sampleBudget(record, budget)));
  return () => {
    for (const stop of stops) stop();
  };
}

function recordPlatform(record: Recorder): (() => void)[] {
  return [
    toldRequests.hear(({ operation, status, waitedMs, tookMs }) => {
      record('requests', 1, { operation, status: String(status ?? 'none') });
      record('requestTime', tookMs / 1_000, { operation });
      record('waits', waitedMs / 1_000, {});
    }),
    toldTransfers.hear(({ direction, bytes, tookMs, ok }) => {
      record('transfers', 1, { direction, result: ok ? 'done' : 'failed' });
      if (!ok) return;
      record('transferBytes', bytes, { direction });
      record('transferTime', tookMs / 1_000, { direction });
    }),
    toldLooks.hear(({ board, items, hinted }) => {
      record('looks', 1, { board, by: hinted > 0 ? 'notification' : 'clock' });
      record('lookItems', items, { board });
    }),
    toldNoticed.hear(({ board, withinMs, isHinted }) => {
      const by = isHinted ? 'notification' : 'clock';
      record('noticed', withinMs / 1_000, { board, by });
    }),
  ];
}

function recordRuns(record: Recorder, now: () => number): (() => void)[] {
  const pipelineOf = boundedLabel();
  const nodeOf = boundedLabel();
  const stepOf = boundedLabel();
  return [
    toldSteps.hear((news) => {
      const labels = {
        pipeline: pipelineOf(news.pipeline),
        node: nodeOf(news.node),
        step: stepOf(news.step),
      };
      record('stepTime', news.tookMs / 1_000, labels);
      if (news.outcomes === null) return record('stepFailures', 1, labels);
      // Zero is recorded too: Prometheus sees no increase in a series that starts with its first count.
      for (const [outcome, assets] of Object.entries(news.outcomes)) {
        record('stepAssets', assets, { ...labels, outcome });
      }
    }),
    toldSettled.hear((news) => {
      const pipeline = pipelineOf(news.pipeline);
      for (const [outcome, assets] of Object.entries(news.outcomes)) {
        record('assets', assets, { pipeline, outcome });
      }
      for (const [code, assets] of Object.entries(news.codes)) {
        record('assetFailures', assets, { pipeline, code });
      }
    }),
    toldRunNotices.hear(({ ok }) => record('runNotices', 1, { result: ok ? 'done' : 'failed' })),
    toldRuns.hear((news) => recordRun(record, news, pipelineOf(news.pipeline))),
    recordQueue(record, { pipelineOf, onPipeline: (one) => beginRuns(record, one), now }),
  ];
}

const outcomes: readonly Outcome[] = ['complete', 'partial_failure', 'failed', 'cancelled'];

/**
 * Starts the series of all outcomes at 0 on every worker: a run may finish on any worker, and Prometheus sees no increase in
 * a series that starts with its first count.
 */
function beginRuns(record: Recorder, pipeline: string): void {
  for (const outcome of outcomes) record('runsEnded', 0, { pipeline, outcome });
}

function recordRun(record: Recorder, news: RunNews, pipeline: string): void {
  switch (news.kind) {
    case 'run-started':
      record('runsStarted', 1, { pipeline });
      beginRuns(record, pipeline);
      if (news.lagMs !== null) record('scheduleLag', news.lagMs / 1_000, { pipeline });
      break;
    case 'run-found':
      for (const [kind, assets] of Object.entries(news.more)) {
        if (assets > 0) record('assetsFound', assets, { pipeline, kind });
      }
      break;
    case 'run-paused':
      record('runPauses', 1, { pipeline, cause: news.cause });
      break;
    case 'run-ended':
      record('runsEnded', 1, { pipeline, outcome: news.ended.outcome });
      record('runTime', news.ended.seconds, { pipeline });
      break;
    default:
  }
}

function recordReceiver(record: Recorder, now: () => number): (() => void)[] {
  return [
    toldReceived.hear((verdict) => {
      record('notifications', 1, { verdict });
      if (verdict === 'accepted') record('lastNotification', now() / 1_000, {});
    }),
    toldHints.hear(({ hints }) => record('hints', hints, {})),
  ];
}

function sampleBudget(record: Recorder, budget: Sampled): void {
  const { spent, limit, waiting } = budget.snapshot();
  record('used', spent, {});
  if (limit !== undefined) record('limit', limit, {});
  record('pressure', budget.pressure(), {});
  record(
    'waiting',
    Object.values(waiting).reduce((sum, one) => sum + one, 0),
    {},
  );
}

/** Samples now and every few seconds. The timer does not keep the process alive. */
function sample(look: () => void): () => void {
  look();
  const timer = setInterval(look, sampleEveryMs).unref();
  return () => clearInterval(timer);
}
