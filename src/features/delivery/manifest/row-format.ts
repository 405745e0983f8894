// The text of a manifest: CSV, a JSON array, a JSON object in each line, or the sheet of a workbook. Pure.
import { manifestFormatOf } from '../../../plan/delivery-manifests.ts';
import type { RowValue } from '../../../plan/rows.ts';
import { byteOrderMark, csvLine } from '../../../report/report-csv.ts';
import { sheetFormat } from '../archive/workbook-writer.ts';

export interface RowFormat {
  start: string;
  row: (cells: readonly RowValue[], isFirst: boolean) => string;
  end: string;
}

export interface FormatOptions {
  path: string;
  headings: readonly string[];
  delimiter: string;
  bom: boolean;
}

const lineEnd = '\r\n';

export function rowFormatOf({ path, headings, delimiter, bom }: FormatOptions): RowFormat {
  const objectOf = (cells: readonly RowValue[]) =>
    JSON.stringify(Object.fromEntries(headings.map((heading, at) => [heading, cells[at] ?? null])));
  switch (manifestFormatOf(path)) {
    case 'json':
      return {
        start: '[',
        row: (cells, isFirst) => `${isFirst ? '' : ','}\n${objectOf(cells)}`,
        end: '\n]\n',
      };
    case 'jsonl':
      return { start: '', row: (cells) => `${objectOf(cells)}\n`, end: '' };
    case 'xlsx':
      return sheetFormat(headings);
    default: {
      const line = (cells: readonly RowValue[]) => `${csvLine(cells, delimiter)}${lineEnd}`;
      return { start: `${bom ? byteOrderMark : ''}${line(headings)}`, row: line, end: '' };
    }
  }
}
