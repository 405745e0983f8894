// The CSV file of results. It contains one row per measurement and is kept with each release. Older rows lack newer
// columns.
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';
import { z } from 'zod';
import type { Measurement } from './measure.ts';
import { type Case, contenders } from './options.ts';

/** The columns in order. New columns are appended. */
const columns = {
  contender: (m) => m.contender,
  assets: (m) => m.assets,
  limit: (m) => m.limit,
  requests: (m) => m.requests,
  rate_limited: (m) => m.rateLimited,
  events: (m) => m.events,
  wall_ms: (m) => m.wallMs,
  ideal_ms: (m) => m.idealMs,
  worker_cpu_ms: (m) => Math.round(m.workerCpuMs),
  server_cpu_ms: (m) => Math.round(m.serverCpuMs),
  worker_peak_mib: (m) => m.workerPeakMib,
  noticed_p95_ms: (m) => m.noticedP95Ms,
  outputs: (m) => m.outputs,
  workers: (m) => m.workers,
  window_seconds: (m) => m.windowSeconds,
  mix: (m) => Number(m.mix),
  kills: (m) => m.kills,
  server_peak_mib: (m) => m.serverPeakMib,
  history_bytes: (m) => m.historyBytes,
  largest_event_bytes: (m) => m.largestEventBytes,
  longest_task_ms: (m) => m.longestTaskMs,
  window_use: (m) => m.windowUse?.mean.toFixed(3) ?? '',
  single_alone_ms: (m) => m.single?.aloneMs ?? '',
  single_behind_ms: (m) => m.single?.behindMs ?? '',
} satisfies Record<string, (m: Measurement) => string | number>;

type Column = keyof typeof columns;

const head = ['date', 'version', ...Object.keys(columns)].join(',');

/** A cell is empty if the row is older than its column, or if the measurement has no such figure. */
const figure = z.preprocess(
  (cell) => (cell === '' ? undefined : cell),
  z.coerce.number().optional(),
);
const withDefault = (value: number) => figure.transform((cell) => cell ?? value);

const Row = z
  .object({
    date: z.string(),
    version: z.string(),
    contender: z.enum(contenders),
    assets: z.coerce.number(),
    limit: z.coerce.number(),
    workers: withDefault(1),
    window_seconds: withDefault(60),
    mix: withDefault(0),
    kills: withDefault(0),
  })
  .catchall(figure);

export interface Result extends Case {
  date: string;
  version: string;
  /** Figures by column. Those that the row does not contain are absent. */
  figures: Partial<Record<Column, number>>;
}

/** @throws Error for text that is not a results file */
export function parseResults(text: string): Result[] {
  const rows: unknown[] = parse(text, { columns: true, relax_column_count_less: true });
  return rows.map((row) => {
    const {
      date,
      version,
      contender,
      assets,
      limit,
      workers,
      window_seconds,
      mix,
      kills,
      ...figures
    } = Row.parse(row);
    return {
      date,
      version,
      contender,
      assets,
      limit,
      workers,
      windowSeconds: window_seconds,
      mix: mix === 1,
      kills,
      figures,
    };
  });
}

export function resultRow(m: Measurement, date: string, version: string): string {
  return [date, version, ...Object.values(columns).map((valueOf) => valueOf(m))].join(',');
}

/** Returns a row of this version in parsed form. */
export function parseRow(row: string): Result[] {
  return parseResults(`${head}\n${row}\n`);
}

/** Returns the text of the file with one more row. In earlier rows, the cells of new columns are empty. */
export function withRow(text: string, row: string): string {
  const [oldHead = '', ...rows] = text === '' ? [head] : text.trimEnd().split('\n');
  if (!head.startsWith(oldHead)) {
    throw new Error(`it has other columns than these: ${head}. Choose another --output`);
  }
  const padding = ','.repeat(head.split(',').length - oldHead.split(',').length);
  return `${[head, ...rows.map((oldRow) => oldRow + padding), row].join('\n')}\n`;
}

/** Reads all rows of a file. Returns none if the file does not exist. */
export async function readResults(file: string): Promise<Result[]> {
  return file !== '' && existsSync(file) ? parseResults(await readFile(file, 'utf8')) : [];
}

export async function addRow(file: string, row: string): Promise<void> {
  const text = existsSync(file) ? await readFile(file, 'utf8') : '';
  try {
    await writeFile(file, withRow(text, row));
  } catch (error) {
    throw new Error(`${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
