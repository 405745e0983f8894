// Parses CSV in a thread.
import { createRequire } from 'node:module';
import type { Options } from 'csv-parse/sync';
import { runTableThread, type ThreadBounds } from './table-thread.ts';

/** The wanted values of a row, and its line in the file. */
export interface CsvRow {
  line: number;
  values: readonly (string | undefined)[];
}

export interface CsvRequest {
  text: string;
  options: Options;
  /** Column indexes of the wanted values. */
  wanted: readonly number[];
}

const script = `
const { parentPort, workerData } = require('node:worker_threads');
const { CsvError, parse } = require(workerData.parser);
const { bytes, options, wanted } = workerData;
const on_record = (record, { lines }) => ({ line: lines, values: wanted.map((at) => record[at]) });
try {
  parentPort.postMessage({ rows: parse(Buffer.from(bytes.buffer), { ...options, on_record }) });
} catch (error) {
  if (!(error instanceof CsvError)) throw error;
  parentPort.postMessage({ wrong: error.message });
}
`;

/** @throws TableError for invalid CSV, and for a table that exceeds the limits */
export function parseCsv(
  { text, options, wanted }: CsvRequest,
  bounds?: ThreadBounds,
): Promise<CsvRow[]> {
  const bytes = new TextEncoder().encode(text);
  const parser = createRequire(import.meta.url).resolve('csv-parse/sync');
  const data = { bytes, options, wanted, parser };
  const program = { script, data, transfer: [bytes.buffer], instead: 'JSON Lines' };
  // The program above posts nothing else.
  return runTableThread(program, (message) => (message as { rows: CsvRow[] }).rows, bounds);
}
