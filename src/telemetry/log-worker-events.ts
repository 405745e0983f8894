// Logs the events of a worker in few lines: frequent events are summed up.
import { clockWarning, monotonicMs } from '../api/clock.ts';
import { clockSkewEvents, requestEvents } from '../api/events.ts';
import type { RunEvent } from '../plan/contract/run-events.ts';
import {
  type FinalizedEvent,
  finalizedEvents,
  runEvents,
  runNoticeEvents,
  type StepEvent,
  stepEvents,
} from './events.ts';
import { IntervalSums } from './interval-sums.ts';

/** The part of a logger that is used. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  debug(fields: object, message: string): void;
}

interface StepSum {
  /** The latest event. */
  event: StepEvent | null;
  calls: number;
  failedCalls: number;
  assets: { done: number; pruned: number; failed: number; retry: number };
  maxMs: number;
  codes: Set<string>;
}

const emptyStepSum = (): StepSum => ({
  event: null,
  calls: 0,
  failedCalls: 0,
  assets: { done: 0, pruned: 0, failed: 0, retry: 0 },
  maxMs: 0,
  codes: new Set(),
});

interface EndSum {
  event: FinalizedEvent | null;
  outcomes: Record<string, number>;
}

interface WaitSum {
  requests: number;
  maxMs: number;
}

const flushIntervalMs = 1_000;
/** Shorter waits are normal and are not logged. */
const minWaitMs = 1_000;
const maxCodes = 5;
/** Separates run and step in a key; names contain no line break. */
const sep = '\n';
const growingIntervals = { firstMs: 5_000, growth: 2, maxMs: 300_000 };
const onceAMinute = { firstMs: 1_000, growth: 60, maxMs: 60_000 };

/** Logs the worker's events until the returned function is called. */
export function logWorkerEvents(log: Log, now: () => number = monotonicMs): () => void {
  const steps = new IntervalSums(emptyStepSum, growingIntervals);
  const ends = new IntervalSums<EndSum>(() => ({ event: null, outcomes: {} }), growingIntervals);
  const refusals = new IntervalSums<WaitSum>(() => ({ requests: 0, maxMs: 0 }), onceAMinute);
  const waits = new IntervalSums<WaitSum>(() => ({ requests: 0, maxMs: 0 }), onceAMinute);
  const write = ({ level, message, fields }: LogLine) => log[level](fields, message);
  const writeSums = (stepSums: StepSum[], endSums: EndSum[]) => {
    for (const sum of stepSums) for (const line of stepLine(sum)) write(line);
    for (const sum of endSums) for (const line of endLine(sum)) write(line);
  };
  const timer = setInterval(() => {
    const nowMs = now();
    writeSums(steps.due(nowMs), ends.due(nowMs));
    for (const sum of refusals.due(nowMs)) write(refusalLine(sum));
    for (const sum of waits.due(nowMs)) write(waitLine(sum));
  }, flushIntervalMs).unref();
  const stops = [
    runEvents.subscribe((event) => {
      if (event.kind === 'run-finished') {
        writeSums(
          steps.takeByPrefix(`${event.run}${sep}`),
          ends.takeByPrefix(`${event.run}${sep}`),
        );
      }
      write(runLogLine(event));
    }),
    stepEvents.subscribe((event) => {
      log.debug(
        { component: 'activity', ...event, shard: event.shard + 1 },
        'step attempt finished',
      );
      steps.record(`${event.run}${sep}${event.step}`, now(), (sum) => addStep(sum, event));
    }),
    finalizedEvents.subscribe((event) =>
      ends.record(`${event.run}${sep}`, now(), (sum) => {
        sum.event = event;
        for (const [outcome, count] of Object.entries(event.outcomes)) {
          sum.outcomes[outcome] = (sum.outcomes[outcome] ?? 0) + count;
        }
      }),
    ),
    runNoticeEvents.subscribe(({ run, attempt, ok, isFinal }) => {
      const fields = { component: 'activity', run, attempt };
      if (ok) log.info(fields, 'run notice sent');
      else if (isFinal) log.warn(fields, 'run notice could not be sent; it is not sent again');
      else log.warn(fields, 'run notice could not be sent; it will be retried');
    }),
    requestEvents.subscribe(({ status, waitedMs }) => {
      const add = (sum: WaitSum) => {
        sum.requests += 1;
        sum.maxMs = Math.max(sum.maxMs, waitedMs);
      };
      if (status === 429) refusals.record('', now(), add);
      if (waitedMs >= minWaitMs) waits.record('', now(), add);
    }),
    clockSkewEvents.subscribe(({ aheadMs }) => {
      const fields = { component: 'platform', aheadSeconds: Math.round(aheadMs / 1_000) };
      const warning = clockWarning(aheadMs);
      if (warning !== null) log.warn(fields, warning);
      else log.info(fields, "the clock of this machine agrees with the platform's again");
    }),
    () => clearInterval(timer),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

function addStep(sum: StepSum, event: StepEvent): void {
  sum.event = event;
  sum.calls += 1;
  sum.maxMs = Math.max(sum.maxMs, event.tookMs);
  if (event.code !== undefined && sum.codes.size < maxCodes) sum.codes.add(event.code);
  if (event.outcomes === null) {
    sum.failedCalls += 1;
    return;
  }
  sum.assets.done += event.outcomes.done;
  sum.assets.pruned += event.outcomes.pruned;
  sum.assets.failed += event.outcomes.failed;
  sum.assets.retry += event.outcomes.retry;
}

/** The log line of a step; none without attempts. The line names the shard only if it is about a single attempt. */
function stepLine({ event, calls, failedCalls, assets, maxMs, codes }: StepSum): LogLine[] {
  if (event === null) return [];
  const { run, pipeline, shard, node, step } = event;
  const counts = Object.entries(assets).filter(([, count]) => count > 0);
  const fields = {
    component: 'activity',
    run,
    pipeline,
    ...(calls === 1 ? { shard: shard + 1 } : {}),
    node,
    step,
    ...Object.fromEntries(counts),
    calls,
    ...(failedCalls > 0 ? { failedCalls } : {}),
    maxSeconds: toSeconds(maxMs),
    ...(codes.size > 0 ? { codes: [...codes] } : {}),
  };
  return [{ level: failedCalls > 0 ? 'warn' : 'info', message: 'step', fields }];
}

function endLine({ event, outcomes }: EndSum): LogLine[] {
  if (event === null) return [];
  const { run, pipeline } = event;
  const fields = { component: 'activity', run, pipeline, ...outcomes };
  return [{ level: 'info', message: 'assets finished', fields }];
}

function refusalLine({ requests }: WaitSum): LogLine {
  const message = 'the platform refused requests (rate limit)';
  return { level: 'warn', message, fields: { component: 'platform', requests } };
}

function waitLine({ requests, maxMs }: WaitSum): LogLine {
  const fields = { component: 'platform', requests, maxSeconds: toSeconds(maxMs) };
  return { level: 'info', message: 'requests waited for the allowance', fields };
}

interface LogLine {
  level: 'info' | 'warn';
  message: string;
  fields: Readonly<Record<string, unknown>>;
}

/** The log line of a workflow's event. Assets are counted, never named. */
function runLogLine(event: RunEvent): LogLine {
  const { pipeline, run } = event;
  const line = (message: string, extraFields: object, level: LogLine['level'] = 'info') => ({
    level,
    message,
    fields: { component: 'workflow', run, pipeline, ...extraFields },
  });
  switch (event.kind) {
    case 'run-started':
      return line(
        'run started',
        event.lagMs === null ? {} : { lateSeconds: toSeconds(event.lagMs) },
      );
    case 'run-continued':
      return line('run continued as new', { continuations: event.continuations });
    case 'run-discovered':
      return line('assets discovered', { ...event.added, shards: event.shards });
    case 'run-paused':
      return line('run waiting for a person', { cause: event.cause }, 'warn');
    case 'run-resumed':
      return line('run resumed', {});
    case 'run-late':
      return line('run late', { lateness: event.lateness }, 'warn');
    case 'shard-started':
      return line('shard started', { shard: event.shard + 1, assets: event.assets });
    case 'shard-finished':
      return line('shard finished', { shard: event.shard + 1, ...event.end.totals });
    case 'run-finished': {
      const { outcome, totals, requests, cause } = event.end;
      const extraFields = {
        outcome,
        ...totals,
        requests,
        seconds: toSeconds(1_000 * event.end.seconds),
      };
      return line('run finished', cause === undefined ? extraFields : { ...extraFields, cause });
    }
  }
}

/** Seconds, rounded to a tenth. */
function toSeconds(ms: number): number {
  return Math.round(ms / 100) / 10;
}
