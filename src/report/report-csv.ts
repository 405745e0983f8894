// The report as CSV: a line for each delivered file and each asset without one.
import { printable } from '../api/plain-text.ts';
import type { Report, ReportedOutput } from './report.ts';

type Cell = string | number | null;

const columns: readonly [name: string, of: (output: ReportedOutput) => Cell][] = [
  ['key', ({ key }) => key],
  ['model', ({ model }) => model],
  ['colorway', ({ colorway }) => colorway],
  ['view', ({ view }) => view],
  ['outcome', ({ outcome }) => outcome],
  ['path', ({ path }) => path],
  ['bytes', ({ path, bytes }) => (path === null ? null : bytes)],
  ['width', ({ width }) => width || null],
  ['height', ({ height }) => height || null],
  ['sha256', ({ sha256 }) => sha256],
  ['code', ({ failure }) => failure?.code ?? null],
  ['node', ({ failure }) => failure?.node ?? null],
  ['message', ({ failure }) => failure?.message ?? null],
];

/** As RFC 4180, with a head line and plain line ends. */
export function reportCsv({ outputs }: Pick<Report, 'outputs'>): string {
  const rows = outputs.map((output) => columns.map(([, of]) => csvCell(of(output))).join(','));
  return [columns.map(([name]) => name).join(','), ...rows, ''].join('\n');
}

/** Spreadsheets take text that begins like a formula for one; names may be anybody's. */
export function csvCell(value: Cell): string {
  if (typeof value !== 'string') return value === null ? '' : String(value);
  const plain = printable(value);
  const text = /^[=+\-@]/.test(plain) ? `'${plain}` : plain;
  return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
