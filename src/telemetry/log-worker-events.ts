// Logs the events of a worker in few lines, because frequent events are summed up.
import { formatClockWarning, readMonotonicMs } from '../api/clock.ts';
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

/** The used part of a logger. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  debug(fields: object, message: string): void;
}

interface StepSum {
  event: StepEvent;
  calls: number;
  failedCalls: number;
  assets: { done: number; pruned: number; failed: number; retry: number };
  maxMs: number;
  codes: ReadonlySet<string>;
}

interface FinalizedSum {
  event: FinalizedEvent;
  outcomes: Readonly<Record<string, number>>;
}

interface RequestSum {
  requests: number;
  maxMs: number;
}

const flushIntervalMs = 1_000;
/** Shorter waits are normal and are not logged. */
const minWaitMs = 1_000;
const maxCodes = 5;
/** Separates the run and the step in a key, because names contain no line break. */
const sep = '\n';
const growingIntervals = { firstMs: 5_000, growth: 2, maxMs: 300_000 };
const onceAMinute = { firstMs: 1_000, growth: 60, maxMs: 60_000 };

/** Logs the worker's events until the returned function is called. */
export function logWorkerEvents(log: Log): () => void {
  const steps = new IntervalSums<StepSum>(growingIntervals);
  const finalized = new IntervalSums<FinalizedSum>(growingIntervals);
  const refusals = new IntervalSums<RequestSum>(onceAMinute);
  const waits = new IntervalSums<RequestSum>(onceAMinute);
  const write = ({ level, message, fields }: LogLine) => log[level](fields, message);
  const writeSums = (stepSums: StepSum[], endSums: FinalizedSum[]) => {
    for (const sum of stepSums) write(stepLine(sum));
    for (const sum of endSums) write(finalizedLine(sum));
  };
  const timer = setInterval(() => {
    const nowMs = readMonotonicMs();
    writeSums(steps.due(nowMs), finalized.due(nowMs));
    const component = 'platform';
    for (const { requests } of refusals.due(nowMs))
      log.warn({ component, requests }, 'the platform refused requests (rate limit)');
    for (const { requests, maxMs } of waits.due(nowMs)) {
      const fields = { component, requests, maxSeconds: toSeconds(maxMs) };
      log.info(fields, 'requests waited for the allowance');
    }
  }, flushIntervalMs).unref();
  const unsubscribers = [
    runEvents.subscribe((event) => {
      if (event.kind === 'run-finished') {
        const prefix = `${event.run}${sep}`;
        writeSums(steps.takeByPrefix(prefix), finalized.takeByPrefix(prefix));
      }
      write(runLogLine(event));
    }),
    stepEvents.subscribe((event) => {
      const fields = { component: 'activity', ...event, shard: event.shard + 1 };
      log.debug(fields, 'step attempt finished');
      steps.record(`${event.run}${sep}${event.step}`, readMonotonicMs(), (sum) =>
        addStep(sum, event),
      );
    }),
    finalizedEvents.subscribe((event) =>
      finalized.record(`${event.run}${sep}`, readMonotonicMs(), (sum) => {
        const outcomes = { ...sum?.outcomes };
        for (const [outcome, count] of Object.entries(event.outcomes)) {
          outcomes[outcome] = (outcomes[outcome] ?? 0) + count;
        }
        return { event, outcomes };
      }),
    ),
    runNoticeEvents.subscribe(({ run, attempt, problem, isFinal }) => {
      const fields = { component: 'activity', run, attempt };
      if (problem === null) return log.info(fields, 'run notice sent');
      const outlook = isFinal ? 'it will not be retried' : 'it will be retried';
      log.warn({ ...fields, problem }, `run notice could not be sent; ${outlook}`);
    }),
    requestEvents.subscribe(({ status, waitMs }) => {
      const add = (sum?: RequestSum) => ({
        requests: (sum?.requests ?? 0) + 1,
        maxMs: Math.max(sum?.maxMs ?? 0, waitMs),
      });
      if (status === 429) refusals.record('', readMonotonicMs(), add);
      if (waitMs >= minWaitMs) waits.record('', readMonotonicMs(), add);
    }),
    clockSkewEvents.subscribe(({ aheadMs }) => {
      const fields = { component: 'platform', aheadSeconds: Math.round(aheadMs / 1_000) };
      const warning = formatClockWarning(aheadMs);
      if (warning !== null) log.warn(fields, warning);
      else log.info(fields, "the clock of this machine agrees with the platform's again");
    }),
    () => clearInterval(timer),
  ];
  return () => {
    for (const stop of unsubscribers) stop();
  };
}

function addStep(sum: StepSum | undefined, event: StepEvent): StepSum {
  const { calls = 0, failedCalls = 0, maxMs = 0, codes = new Set<string>() } = sum ?? {};
  const { done = 0, pruned = 0, failed = 0, retry = 0 } = sum?.assets ?? {};
  const { outcomes, code, durationMs } = event;
  return {
    event,
    calls: calls + 1,
    failedCalls: failedCalls + (outcomes === null ? 1 : 0),
    assets: {
      done: done + (outcomes?.done ?? 0),
      pruned: pruned + (outcomes?.pruned ?? 0),
      failed: failed + (outcomes?.failed ?? 0),
      retry: retry + (outcomes?.retry ?? 0),
    },
    maxMs: Math.max(maxMs, durationMs),
    codes: code !== undefined && codes.size < maxCodes ? new Set([...codes, code]) : codes,
  };
}

/** Creates the log line of a step. It contains the shard only if it describes a single attempt. */
function stepLine({ event, calls, failedCalls, assets, maxMs, codes }: StepSum): LogLine {
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
  return { level: failedCalls > 0 ? 'warn' : 'info', message: 'step', fields };
}

function finalizedLine({ event: { run, pipeline }, outcomes }: FinalizedSum): LogLine {
  const fields = { component: 'activity', run, pipeline, ...outcomes };
  return { level: 'info', message: 'assets finished', fields };
}

interface LogLine {
  level: 'info' | 'warn';
  message: string;
  fields: Readonly<Record<string, unknown>>;
}

/** Creates the log line of a workflow's event. Assets are counted, never named. */
function runLogLine(event: RunEvent): LogLine {
  const { pipeline, run } = event;
  const createLine = (message: string, extraFields: object, level: LogLine['level'] = 'info') => ({
    level,
    message,
    fields: { component: 'workflow', run, pipeline, ...extraFields },
  });
  switch (event.kind) {
    case 'run-started': {
      const { lagMs } = event;
      return createLine('run started', lagMs === null ? {} : { lateSeconds: toSeconds(lagMs) });
    }
    case 'run-continued':
      return createLine('run continued as new', { continuations: event.continuations });
    case 'run-discovered':
      return createLine('assets discovered', { ...event.added, shards: event.shards });
    case 'run-paused':
      return createLine('run waiting for a person', { cause: event.cause }, 'warn');
    case 'run-resumed':
      return createLine('run resumed', {});
    case 'run-late':
      return createLine('run late', { lateness: event.lateness }, 'warn');
    case 'shard-started':
      return createLine('shard started', { shard: event.shard + 1, assets: event.assets });
    case 'shard-finished':
      return createLine('shard finished', { shard: event.shard + 1, ...event.end.totals });
    case 'run-finished': {
      const { outcome, totals, requests, cause } = event.end;
      const seconds = toSeconds(1_000 * event.end.seconds);
      const causeFields = cause === undefined ? {} : { cause };
      return createLine('run finished', { outcome, ...totals, requests, seconds, ...causeFields });
    }
  }
}

/** Returns seconds, rounded to a tenth. */
function toSeconds(ms: number): number {
  return Math.round(ms / 100) / 10;
}
