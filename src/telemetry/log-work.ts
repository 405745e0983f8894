// Logs the events of a worker in few lines: frequent events are summed up.
import { clockWarning, monotonicMs } from '../api/clock.ts';
import { toldClocks, toldRequests } from '../api/told.ts';
import { Digest } from './digest.ts';
import { type LogLine, lineOf, seconds } from './run-lines.ts';
import {
  type SettledNews,
  type StepNews,
  toldRunNotices,
  toldRuns,
  toldSettled,
  toldSteps,
} from './told.ts';

/** The part of a logger that is used. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  debug(fields: object, message: string): void;
}

interface StepSum {
  /** The latest event. */
  news: StepNews | null;
  calls: number;
  failedCalls: number;
  assets: { done: number; pruned: number; failed: number; redo: number };
  mostMs: number;
  codes: Set<string>;
}

const noStep = (): StepSum => ({
  news: null,
  calls: 0,
  failedCalls: 0,
  assets: { done: 0, pruned: 0, failed: 0, redo: 0 },
  mostMs: 0,
  codes: new Set(),
});

interface EndSum {
  news: SettledNews | null;
  outcomes: Record<string, number>;
}

interface WaitSum {
  requests: number;
  mostMs: number;
}

const tellEveryMs = 1_000;
/** Shorter waits are normal and are not logged. */
const waitAtLeastMs = 1_000;
const codesAtMost = 5;
/** Separates run and step in a key; names contain no line break. */
const sep = '\n';
const rarer = { firstMs: 5_000, growth: 2, mostMs: 300_000 };
const onceAMinute = { firstMs: 1_000, growth: 60, mostMs: 60_000 };

/** Logs until the returned function is called. */
export function logWork(log: Log, now: () => number = monotonicMs): () => void {
  const steps = new Digest(noStep, rarer);
  const ends = new Digest<EndSum>(() => ({ news: null, outcomes: {} }), rarer);
  const refusals = new Digest<WaitSum>(() => ({ requests: 0, mostMs: 0 }), onceAMinute);
  const waits = new Digest<WaitSum>(() => ({ requests: 0, mostMs: 0 }), onceAMinute);
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
  }, tellEveryMs).unref();
  const stops = [
    toldRuns.hear((news) => {
      if (news.kind === 'run-ended') {
        writeSums(steps.take(`${news.run}${sep}`), ends.take(`${news.run}${sep}`));
      }
      write(lineOf(news));
    }),
    toldSteps.hear((news) => {
      log.debug({ component: 'activity', ...news, shard: news.shard + 1 }, 'step attempt finished');
      steps.note(`${news.run}${sep}${news.step}`, now(), (sum) => addStep(sum, news));
    }),
    toldSettled.hear((news) =>
      ends.note(`${news.run}${sep}`, now(), (sum) => {
        sum.news = news;
        for (const [outcome, count] of Object.entries(news.outcomes)) {
          sum.outcomes[outcome] = (sum.outcomes[outcome] ?? 0) + count;
        }
      }),
    ),
    toldRunNotices.hear(({ run, attempt, ok }) => {
      const fields = { component: 'activity', run, attempt };
      if (ok) log.info(fields, 'run notice sent');
      else log.warn(fields, 'run notice could not be sent; it will be retried');
    }),
    toldRequests.hear(({ status, waitedMs }) => {
      const add = (sum: WaitSum) => {
        sum.requests += 1;
        sum.mostMs = Math.max(sum.mostMs, waitedMs);
      };
      if (status === 429) refusals.note('', now(), add);
      if (waitedMs >= waitAtLeastMs) waits.note('', now(), add);
    }),
    toldClocks.hear(({ aheadMs }) => {
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

function addStep(sum: StepSum, news: StepNews): void {
  sum.news = news;
  sum.calls += 1;
  sum.mostMs = Math.max(sum.mostMs, news.tookMs);
  if (news.code !== undefined && sum.codes.size < codesAtMost) sum.codes.add(news.code);
  if (news.outcomes === null) {
    sum.failedCalls += 1;
    return;
  }
  sum.assets.done += news.outcomes.done;
  sum.assets.pruned += news.outcomes.pruned;
  sum.assets.failed += news.outcomes.failed;
  sum.assets.redo += news.outcomes.redo;
}

/** The shard is named only if the line is about a single call. */
function stepLine({ news, calls, failedCalls, assets, mostMs, codes }: StepSum): LogLine[] {
  if (news === null) return [];
  const { run, pipeline, shard, node, step } = news;
  const told = Object.entries(assets).filter(([, count]) => count > 0);
  const fields = {
    component: 'activity',
    run,
    pipeline,
    ...(calls === 1 ? { shard: shard + 1 } : {}),
    node,
    step,
    ...Object.fromEntries(told),
    calls,
    ...(failedCalls > 0 ? { failedCalls } : {}),
    longestSeconds: seconds(mostMs),
    ...(codes.size > 0 ? { codes: [...codes] } : {}),
  };
  return [{ level: failedCalls > 0 ? 'warn' : 'info', message: 'step', fields }];
}

function endLine({ news, outcomes }: EndSum): LogLine[] {
  if (news === null) return [];
  const { run, pipeline } = news;
  const fields = { component: 'activity', run, pipeline, ...outcomes };
  return [{ level: 'info', message: 'assets finished', fields }];
}

function refusalLine({ requests }: WaitSum): LogLine {
  const message = 'the platform refused requests (rate limit)';
  return { level: 'warn', message, fields: { component: 'platform', requests } };
}

function waitLine({ requests, mostMs }: WaitSum): LogLine {
  const fields = { component: 'platform', requests, longestSeconds: seconds(mostMs) };
  return { level: 'info', message: 'requests waited for the allowance', fields };
}
