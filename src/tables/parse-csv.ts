// Parses CSV in a separate process.
import { createRequire } from 'node:module';
import type { Options } from 'csv-parse/sync';
import { type ProcessBounds, runTableProcess } from './table-process.ts';
import type { ReadRow } from './table-reader.ts';

export interface CsvRequest {
  /** The table in UTF-8. */
  utf8: Uint8Array;
  options: Options;
  /** Column indexes of the wanted values. */
  wanted: readonly number[];
}

const script = `
const { CsvError, parse } = require(request.parser);
const { utf8, options, wanted } = request;
let batch = [];
let records = 0;
// The parser counts a line end of two characters in quotes as two lines.
let excessLines = 0;
let lastLine = 0;
function flush() {
  send({ rows: batch });
  batch = [];
}
function on_record(record, { lines }) {
  records += 1;
  for (const value of record) if (value.includes('\\r\\n')) excessLines += value.split('\\r\\n').length - 1;
  lastLine = lines - excessLines;
  // The first record contains the headings.
  if (records > 1) batch.push({ line: lastLine, values: wanted.map((at) => record[at]) });
  if (batch.length === 2_000) flush();
  return null;
}
try {
  parse(Buffer.from(utf8.buffer, utf8.byteOffset, utf8.byteLength), { ...options, on_record });
  flush();
  send({ isEnd: true });
} catch (error) {
  if (!(error instanceof CsvError)) throw error;
  // The parser names the line in which it gave up, which is the last one if a quote does not end.
  const isOpen = error.code === 'CSV_QUOTE_NOT_CLOSED';
  const problem = isOpen ? 'a quote begins a cell and does not end' : error.message;
  const fix = 'write a quote in a cell twice, and the cell in quotes: "5"" wide"';
  send({ wrong: 'the row after line ' + lastLine + ': ' + problem + '; ' + fix });
}
`;

type Message = { rows: ReadRow[] } | { isEnd: true };

/**
 * @param take receives each row after the headings
 * @throws TableError for invalid CSV, and for a table that exceeds the limits
 */
export async function parseCsv(
  { utf8, options, wanted }: CsvRequest,
  take: (row: ReadRow) => void,
  bounds?: ProcessBounds,
): Promise<void> {
  const parser = createRequire(import.meta.url).resolve('csv-parse/sync');
  const request = { utf8, options, wanted, parser };
  await runTableProcess(
    { script, request, instead: 'JSON Lines' },
    (posted) => {
      // The cast is safe, because the program above posts nothing else.
      const message = posted as Message;
      if ('isEnd' in message) return true;
      for (const row of message.rows) take(row);
      return undefined;
    },
    bounds,
  );
}
