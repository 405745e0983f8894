// Renders reports as CSV: a line for each output of a run, or a line for each run.
import { removeControls } from '../api/responses/plain-text.ts';
import { dimensionNames } from '../language/dimension-names.ts';
import { paidKinds } from '../plan/run/paid-work.ts';
import type { DailyReport, DailyRun } from './daily/daily-report.ts';
import type { Report, ReportedOutput } from './report.ts';

type Cell = string | number | boolean | null;

const firstFields = ['key', 'model', ...dimensionNames, 'outcome', 'path', 'waitsFor'] as const;
const columns: Columns<ReportedOutput> = [
  ...firstFields.map((name) => [name, (output: ReportedOutput) => output[name]] as const),
  ['bytes', ({ path, bytes }) => (path === null ? null : bytes)],
  ['width', ({ width }) => width || null],
  ['height', ({ height }) => height || null],
  ['sha256', ({ sha256 }) => sha256],
  ['change', ({ change }) => change],
  ['startStage', ({ startStage }) => startStage],
  ['code', ({ failure }) => failure?.code ?? null],
  ['node', ({ failure }) => failure?.node ?? null],
  ['message', ({ failure }) => failure?.message ?? null],
  ['decision', ({ decision }) => decision?.outcome ?? null],
  ['decidedBy', ({ decision }) => decision?.by ?? null],
  ['decidedAt', ({ decision }) => decision?.at ?? null],
  ['reason', ({ decision }) => decision?.reason ?? null],
];

export async function* toReportCsvPieces({
  outputs,
}: Pick<Report, 'outputs'>): AsyncGenerator<string> {
  yield formatCsv(columns, []);
  for await (const output of outputs) yield `${formatCsvRow(columns, output)}\n`;
}

/** Formats a line for each run. */
export function formatDailyReportCsv({ runs }: Pick<DailyReport, 'runs'>): string {
  const names = ['run', 'pipeline', 'outcome', 'startedAt', 'endedAt', 'seconds'] as const;
  const counts = ['complete', 'failed', 'repaired', 'cancelled', 'files', 'requests'] as const;
  return formatCsv(
    [
      ...[...names, ...counts].map((name) => [name, (run: DailyRun) => run[name]] as const),
      ...paidKinds.map((kind) => [kind, (run: DailyRun) => run.paid?.[kind] ?? null] as const),
    ],
    runs,
  );
}

export type Columns<Row> = readonly (readonly [name: string, of: (row: Row) => Cell])[];

/** Spreadsheets need a byte order mark to recognize UTF-8. */
export const byteOrderMark = '\uFEFF';

/** Formats CSV according to RFC 4180, with a byte order mark, a header line and LF line endings. */
export function formatCsv<Row>(columns: Columns<Row>, rows: readonly Row[]): string {
  const lines = rows.map((row) => formatCsvRow(columns, row));
  const head = columns.map(([name]) => name).join(',');
  return `${byteOrderMark}${[head, ...lines, ''].join('\n')}`;
}

function formatCsvRow<Row>(columns: Columns<Row>, row: Row): string {
  return formatCsvLine(columns.map(([, cellOf]) => cellOf(row)));
}

/**
 * Matches positions where a spreadsheet would start a formula, including with full-width signs or after invisible
 * characters. In locales that separate lists by semicolons, a cell may start after any semicolon, even inside quotes.
 * Empty quotes are skipped.
 */
const formula =
  /(^|;)(?=[\s"\p{Cf}]*[=+\-@\u2212\uFE62\uFE63\uFE66\uFE6B\uFF1D\uFF0B\uFF0D\uFF20])/gu;

/** Formats a cell. Text that looks like a formula gets a leading apostrophe, because names are untrusted. */
export function formatCsvCell(value: Cell): string {
  if (typeof value !== 'string') return value === null ? '' : String(value);
  const plain = removeControls(value);
  const text = plain.replace(formula, "$1'");
  return /[",;]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Formats a line without line break. @param delimiter comma, semicolon or tab, which cells never contain unquoted */
export function formatCsvLine(cells: readonly Cell[], delimiter = ','): string {
  return cells.map(formatCsvCell).join(delimiter);
}
