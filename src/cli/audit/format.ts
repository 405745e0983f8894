// Formats the audit log for the terminal, one line per action.
import type { AuditEntry } from '../../plan/contract/audit-contract.ts';
import type { Paint } from '../color.ts';

export function formatAuditLog(entries: readonly AuditEntry[], paint: Paint): string {
  if (entries.length === 0) return 'Temporal knows of no actions in this time.';
  const rows = entries.map((entry) => ({ entry, who: formatActor(entry) }));
  const maxLength = (of: (row: (typeof rows)[number]) => string) =>
    Math.max(...rows.map((row) => of(row).length));
  const whoWidth = maxLength(({ who }) => who);
  const whatWidth = maxLength(({ entry }) => entry.what);
  return rows
    .map(({ entry, who }) => {
      const { at, what, subject, name, reason, failed } = entry;
      const on = subject === 'run' ? name : `${subject} ${name}`;
      const why = [
        ...(reason === null ? [] : [`"${reason}"`]),
        ...(failed === null ? [] : [paint('red', `failed: ${failed}`)]),
      ];
      const clock = at.slice(0, 19).replace('T', ' ');
      return [paint('dim', clock), who.padEnd(whoWidth), what.padEnd(whatWidth), on, ...why].join(
        '  ',
      );
    })
    .join('\n');
}

function formatActor({ by, host, via, details }: AuditEntry): string {
  const { schedule } = details;
  if (via === 'schedule') return typeof schedule === 'string' ? `schedule ${schedule}` : via;
  if (via === 'event') return 'event of the platform';
  const person = host === '' ? by || 'not known' : `${by}@${host}`;
  return ['command', 'other'].includes(via) ? person : `${person} (${via})`;
}
