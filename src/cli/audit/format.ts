// Formats the audit log, with one line per action, for the terminal or as CSV.
import type { AuditShape } from '../../app/report/read-audit-log.ts';
import type { AuditEntry } from '../../plan/contract/audit-contract.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import { formatTimestamp } from '../../plan/helpers/format-timestamp.ts';
import { withoutFalse } from '../../plan/helpers/without-false.ts';
import { type Columns, formatCsv } from '../../report/report-csv.ts';
import type { Paint } from '../color.ts';
import { escapeForTerminal } from '../terminal-text.ts';
import { maxLengthOf } from '../text-width.ts';

export function formatAuditLog(entries: readonly AuditEntry[], paint: Paint): string {
  if (entries.length === 0) return 'No matching actions in Temporal; the default is `--since 7d`.';
  const rows = escapeForTerminal(entries).map((entry) => ({ entry, who: formatActor(entry) }));
  const whoWidth = maxLengthOf(rows.map(({ who }) => who));
  const whatWidth = maxLengthOf(rows.map(({ entry }) => entry.what));
  return rows
    .map(({ entry, who }) => {
      const { at, what, subject, name, reason, failed } = entry;
      return withoutFalse([
        paint('dim', formatTimestamp(at)),
        who.padEnd(whoWidth),
        what.padEnd(whatWidth),
        subject === 'run' ? name : `${subject} ${name}`,
        reason !== null && `"${reason}"`,
        failed !== null && paint('red', `failed: ${failed}`),
      ]).join('  ');
    })
    .join('\n');
}

function formatActor({ by, host, via, details }: AuditEntry): string {
  const { schedule } = details;
  if (via === 'schedule') return typeof schedule === 'string' ? `schedule ${schedule}` : via;
  if (via === 'event') return 'platform event';
  const person = host === '' ? by || 'unknown' : `${by}@${host}`;
  return ['command', 'other'].includes(via) ? person : `${person} (${via})`;
}

/** Lists the reasons why the audit may be incomplete. */
export function formatAuditGaps(shape: Omit<AuditShape, 'entries'>): string[] {
  const { since, keptSince, notRead, unreadable } = shape;
  return withoutFalse([
    keptSince !== null &&
      keptSince > since &&
      `Temporal keeps only runs that ended after ${formatTimestamp(keptSince)}; actions of runs that ended earlier are not listed. Export the audit regularly to keep them.`,
    notRead > 0 &&
      `The list is full: ${formatCount(notRead, 'execution')} not read. Narrow the query: --since, --until, --pipeline.`,
    unreadable > 0 &&
      `${formatCount(unreadable, 'action')} not readable: encrypted with a key that is not set here.`,
  ]);
}

const actorFields = ['at', 'by', 'host', 'via'] as const;
const actionFields = ['what', 'subject', 'name', 'pipeline', 'reason', 'failed'] as const;
const columns: Columns<AuditEntry> = [
  ...[...actorFields, ...actionFields].map(
    (name) => [name, (entry: AuditEntry) => entry[name]] as const,
  ),
  ['details', ({ details }) => (Object.keys(details).length > 0 ? JSON.stringify(details) : null)],
];

export function formatAuditCsv(entries: readonly AuditEntry[]): string {
  return formatCsv(columns, entries);
}
