// Writes a manifest row by row as CSV, JSON, JSON Lines or XLSX, under a temporary name until it is complete.
import type { Connector, TransferOptions } from '../../../connectors/connector.ts';
import { findManifestFormat } from '../../../plan/delivery-manifests.ts';
import type { RowValue } from '../../../plan/rows.ts';
import { byteOrderMark, formatCsvLine } from '../../../report/report-csv.ts';
import {
  createSheetFormat,
  openWorkbook,
  type WorkbookWriter,
} from '../archive/workbook-writer.ts';

const maxOpenChars = 256 * 1024;

export type StagedRows = Awaited<ReturnType<typeof stageRows>>;

export async function stageRows(connector: Connector, options: FormatOptions) {
  const format = rowFormatOf(options);
  const staged = await connector.stage(options.path);
  /** Packs the text into a workbook. Null for other formats. */
  let workbook: WorkbookWriter | null = null;
  if (findManifestFormat(options.path) === 'xlsx') {
    try {
      workbook = await openWorkbook((bytes) => staged.write(bytes));
    } catch (error) {
      await staged.discard();
      throw error;
    }
  }
  let pendingText = format.start;
  let isFirst = true;
  const flush = async () => {
    if (pendingText !== '') await (workbook ?? staged).write(Buffer.from(pendingText));
    pendingText = '';
  };
  return {
    async add(cells: readonly RowValue[]): Promise<void> {
      pendingText += format.row(cells, isFirst);
      isFirst = false;
      if (pendingText.length >= maxOpenChars) await flush();
    },
    /** Writes the last bytes. The file keeps its temporary name until `commit`. */
    async end(): Promise<void> {
      pendingText += format.end;
      await flush();
      await workbook?.end();
    },
    async commit(commitOptions: TransferOptions): Promise<void> {
      await staged.commit(commitOptions);
    },
    async discard(): Promise<void> {
      workbook?.discard();
      await staged.discard();
    },
  };
}

interface RowFormat {
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
  const objectOf = (cells: readonly RowValue[]) => {
    const fields = headings.map((heading, index) => [heading, cells[index] ?? null]);
    return JSON.stringify(Object.fromEntries(fields));
  };
  switch (findManifestFormat(path)) {
    case 'json':
      return {
        start: '[',
        row: (cells, isFirst) => `${isFirst ? '' : ','}\n${objectOf(cells)}`,
        end: '\n]\n',
      };
    case 'jsonl':
      return { start: '', row: (cells) => `${objectOf(cells)}\n`, end: '' };
    case 'xlsx':
      return createSheetFormat(headings);
    default: {
      const line = (cells: readonly RowValue[]) => `${formatCsvLine(cells, delimiter)}${lineEnd}`;
      return { start: `${bom ? byteOrderMark : ''}${line(headings)}`, row: line, end: '' };
    }
  }
}
