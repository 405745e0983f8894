// `renderline audit`: lists who did what, when, from where and why, as text, CSV or JSON.
import { type Command, Option } from '@commander-js/extra-typings';
import { createProgressNote } from '../../app/progress-note.ts';
import { RenderlineError } from '../../app/renderline-error.ts';
import { parseSince } from '../../app/report/parse-since.ts';
import { withTemporal } from '../../app/temporal-client.ts';
import { commandFailures } from '../../failures/commands.ts';
import { exitCode } from '../../failures/exit-code.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import { readAudit } from '../../temporal/audit/read-audit.ts';
import { formatAuditCsv } from '../audit/csv.ts';
import { formatAuditLog } from '../audit/format.ts';
import type { Session } from '../session.ts';
import { escapeForTerminal } from '../terminal-text.ts';

const formats = ['text', 'csv'] as const;

interface AuditFlags {
  since: string;
  until?: string | undefined;
  pipeline?: string | undefined;
  run?: string | undefined;
  by?: string | undefined;
  format: (typeof formats)[number];
}

export function declareAudit(command: Command, session: Session): void {
  command
    .option('--since <when>', 'start: yesterday, 12h, 2026-11-01', '7d')
    .option('--until <when>', 'end (default: now)')
    .option('--pipeline <name>', 'only runs, schedules and event triggers of this pipeline')
    .option('--run <run>', 'only this run')
    .option('--by <who>', 'only actions of this user: anna, or anna@studio-2')
    .addOption(new Option('--format <name>', 'output format').choices(formats).default('text'))
    .action(session.action((flags) => audit(session, flags)));
}

async function audit(session: Session, flags: AuditFlags): Promise<number> {
  const { since, until, pipeline, run, by, format } = flags;
  const nowMs = session.io.now();
  const sinceMs = parseSince(since, nowMs);
  const untilMs = until === undefined ? null : parseSince(until, nowMs, '--until');
  if (untilMs !== null && sinceMs > untilMs) {
    throw new RenderlineError(commandFailures.BAD_RANGE, '--since is later than --until.', {
      fix: 'Swap the two times.',
    });
  }
  if (run?.includes("'"))
    throw new RenderlineError(commandFailures.RUN_NOT_FOUND, `There is no run "${run}".`);
  return withTemporal(session, async ({ client }) => {
    const onRead = createProgressNote(session, (read) => `Read ${formatCount(read, 'execution')}`);
    const signal = session.io.interrupts.handleFirst();
    const query = { sinceMs, untilMs, pipeline, run, by };
    const { entries, keptSince, unreadExecutions, unreadable } = await readAudit(client, query, {
      nowMs,
      onRead,
      signal,
    });
    const shape = {
      schema: 'renderline/audit/v1',
      since: new Date(sinceMs).toISOString(),
      until: untilMs === null ? null : new Date(untilMs).toISOString(),
      keptSince,
      left: unreadExecutions,
      unreadable,
      entries,
    };
    const { output } = session;
    if (format === 'csv' && !output.json) output.raw(formatAuditCsv(entries));
    else output.result(shape, () => formatAuditLog(escapeForTerminal(entries), output.paint));
    for (const remark of listGaps(shape)) output.note(remark);
    return unreadExecutions > 0 ? exitCode.partial : exitCode.done;
  });
}

interface Reach {
  since: string;
  keptSince: string | null;
  left: number;
  unreadable: number;
}

/** Lists why the audit may be incomplete. */
function listGaps({ since, keptSince, left, unreadable }: Reach): string[] {
  return [
    ...(keptSince !== null && keptSince > since
      ? [
          `Temporal has deleted runs that ended before ${keptSince.slice(0, 16)}Z, so they are not listed. Export the audit regularly to keep them.`,
        ]
      : []),
    ...(left > 0
      ? [
          `The list is full: ${formatCount(left, 'execution')} not read. Narrow the query: --since, --until, --pipeline.`,
        ]
      : []),
    ...(unreadable > 0
      ? [`${formatCount(unreadable, 'action')} encrypted with a key that is not available here.`]
      : []),
  ];
}
