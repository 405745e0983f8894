// Messages and fields of log lines about runs. Assets are counted, never named.
import type { RunEvent } from '../plan/contract/run-events.ts';

export interface LogLine {
  level: 'info' | 'warn';
  message: string;
  fields: Readonly<Record<string, unknown>>;
}

/** The log line of a workflow's event. */
export function runLogLine(event: RunEvent): LogLine {
  const { pipeline, run } = event;
  const line = (message: string, more: object, level: LogLine['level'] = 'info') => ({
    level,
    message,
    fields: { component: 'workflow', run, pipeline, ...more },
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
      const more = {
        outcome,
        ...totals,
        requests,
        seconds: toSeconds(1_000 * event.end.seconds),
      };
      return line('run finished', cause === undefined ? more : { ...more, cause });
    }
  }
}

/** Seconds, rounded to a tenth. */
export function toSeconds(ms: number): number {
  return Math.round(ms / 100) / 10;
}
