// Parses CSV in a separate thread with limits on memory and time, so that a table that overwhelms the parser fails without
// crashing or blocking the worker. The thread's program is a string because Node cannot start TypeScript in a worker thread.
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import type { Options } from 'csv-parse/sync';
import { TableError } from './table-error.ts';

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

export interface CsvBounds {
  memoryBytes: number;
  timeoutMs: number;
}

/** The largest table that is allowed takes 200 MiB and three seconds. */
export const csvBounds: CsvBounds = { memoryBytes: 512 * 1024 ** 2, timeoutMs: 60_000 };

type Reply = { rows: CsvRow[] } | { wrong: string };

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
export async function parseCsv(
  { text, options, wanted }: CsvRequest,
  { memoryBytes, timeoutMs }: CsvBounds = csvBounds,
): Promise<CsvRow[]> {
  const bytes = new TextEncoder().encode(text);
  const parser = createRequire(import.meta.url).resolve('csv-parse/sync');
  const thread = new Worker(script, {
    eval: true,
    env: {},
    execArgv: [],
    workerData: { bytes, options, wanted, parser },
    transferList: [bytes.buffer],
    resourceLimits: { maxOldGenerationSizeMb: memoryBytes / 1024 ** 2 },
  });
  const tooMuch = (what: string) =>
    new TableError(`takes more than ${what} to read; make it smaller, or write it as JSON Lines`);
  let timer: NodeJS.Timeout | undefined;
  try {
    const reply = await new Promise<Reply>((resolve, reject) => {
      timer = setTimeout(() => reject(tooMuch(`${timeoutMs / 1_000} s`)), timeoutMs);
      thread.on('message', resolve).on('error', (error: NodeJS.ErrnoException) => {
        const isFull = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
        reject(isFull ? tooMuch(`${memoryBytes / 1024 ** 2} MiB`) : error);
      });
      thread.on('exit', (code) => reject(new Error(`reading CSV ended with code ${code}`)));
    });
    if ('wrong' in reply) throw new TableError(reply.wrong);
    return reply.rows;
  } finally {
    clearTimeout(timer);
    await thread.terminate();
  }
}
