// Messages and fields of log lines about runs. Assets are counted, never named.
import type { RunNews } from '../plan/run-news.ts';

export interface LogLine {
  level: 'info' | 'warn';
  message: string;
  fields: Readonly<Record<string, unknown>>;
}

/** The log line of a workflow's event. */
export function lineOf(news: RunNews): LogLine {
  const { pipeline, run } = news;
  const line = (message: string, more: object, level: LogLine['level'] = 'info') => ({
    level,
    message,
    fields: { component: 'workflow', run, pipeline, ...more },
  });
  switch (news.kind) {
    case 'run-started':
      return line('run started', news.lagMs === null ? {} : { lateSeconds: seconds(news.lagMs) });
    case 'run-continued':
      return line('run continued as new', { continuations: news.continuations });
    case 'run-found':
      return line('assets discovered', { ...news.more, shards: news.shards });
    case 'run-paused':
      return line('run waiting for a person', { cause: news.cause }, 'warn');
    case 'run-resumed':
      return line('run resumed', {});
    case 'shard-started':
      return line('shard started', { shard: news.shard + 1, assets: news.assets });
    case 'shard-ended':
      return line('shard finished', { shard: news.shard + 1, ...news.ended.totals });
    case 'run-ended': {
      const { outcome, totals, requests, cause } = news.ended;
      const more = { outcome, ...totals, requests, seconds: seconds(1_000 * news.ended.seconds) };
      return line('run finished', cause === undefined ? more : { ...more, cause });
    }
  }
}

/** Seconds, rounded to a tenth. */
export function seconds(ms: number): number {
  return Math.round(ms / 100) / 10;
}
