// Formats the audit log as CSV, one line per action.
import type { AuditEntry } from '../../plan/contract/audit-contract.ts';
import { type Columns, csvText } from '../../report/report-csv.ts';

const columns: Columns<AuditEntry> = [
  ['at', ({ at }) => at],
  ['by', ({ by }) => by],
  ['host', ({ host }) => host],
  ['via', ({ via }) => via],
  ['what', ({ what }) => what],
  ['subject', ({ subject }) => subject],
  ['name', ({ name }) => name],
  ['pipeline', ({ pipeline }) => pipeline],
  ['reason', ({ reason }) => reason],
  ['failed', ({ failed }) => failed],
  ['details', ({ details }) => (Object.keys(details).length > 0 ? JSON.stringify(details) : null)],
];

export function formatAuditCsv(entries: readonly AuditEntry[]): string {
  return csvText(columns, entries);
}
