// Reads who did what in a period, when, from where and why.
import { commandFailures } from '../../failures/commands.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import { readAudit } from '../../temporal/audit/read-audit.ts';
import type { App } from '../app.ts';
import { createProgressNote } from '../progress-note.ts';
import { RenderlineError } from '../renderline-error.ts';
import { withTemporal } from '../temporal-client.ts';
import { parseSince } from './parse-since.ts';

export interface AuditLogOptions {
  /** A time in the past. See `parseSince`. */
  since: string;
  /** A time in the past. @default now */
  until?: string | undefined;
  pipeline?: string | undefined;
  run?: string | undefined;
  /** Only actions of this user, or of `user@host`. */
  by?: string | undefined;
}

export type AuditShape = Awaited<ReturnType<typeof readAuditLog>>;

/** @throws RenderlineError for an invalid time or run */
export async function readAuditLog(
  app: App,
  { since, until, ...query }: AuditLogOptions,
  signal: AbortSignal = app.signal,
) {
  const nowMs = app.now();
  const sinceMs = parseSince(since, nowMs);
  const untilMs = until === undefined ? null : parseSince(until, nowMs, '--until');
  if (untilMs !== null && sinceMs > untilMs) {
    throw new RenderlineError(commandFailures.BAD_RANGE, '--since is later than --until.', {
      fix: 'Swap the two times.',
    });
  }
  if (query.run?.includes("'"))
    throw new RenderlineError(
      commandFailures.RUN_NOT_FOUND,
      `The run "${query.run}" does not exist.`,
    );
  return withTemporal(app, async ({ client }) => {
    const onRead = createProgressNote(app, (read) => `Read ${formatCount(read, 'execution')}`);
    const range = { sinceMs, untilMs, ...query };
    const log = await readAudit(client, range, { nowMs, onRead, signal });
    const { entries, keptSince, unreadExecutions, unreadable } = log;
    return {
      schema: 'renderline/audit/v1' as const,
      since: new Date(sinceMs).toISOString(),
      until: untilMs === null ? null : new Date(untilMs).toISOString(),
      /** Temporal may have deleted runs that ended before this time. Null if the retention period is unknown. */
      keptSince,
      /** Number of executions that were not read, because the list is full. */
      notRead: unreadExecutions,
      /** Number of actions encrypted with a key that is not available here. */
      unreadable,
      entries,
    };
  });
}
