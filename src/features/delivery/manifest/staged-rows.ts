// Writes a manifest row by row as CSV, JSON, JSON Lines or XLSX, under a temporary name until it is complete.
import type { Connector, StagedFile, TransferOptions } from '../../../connectors/connector.ts';
import { findManifestFormat } from '../../../plan/delivery-manifests.ts';
import type { RowValue } from '../../../plan/rows.ts';
import { byteOrderMark, formatCsvLine } from '../../../report/report-csv.ts';
import { createSheetFormat, WorkbookWriter } from '../archive/workbook-writer.ts';

const maxOpenChars = 256 * 1024;

export class StagedRows {
  readonly #staged: StagedFile;
  readonly #format: RowFormat;
  /** Packs the text into a workbook. Null for other formats. */
  readonly #workbook: WorkbookWriter | null;
  #pendingText: string;
  #isFirst = true;

  private constructor(staged: StagedFile, format: RowFormat, workbook: WorkbookWriter | null) {
    this.#staged = staged;
    this.#format = format;
    this.#workbook = workbook;
    this.#pendingText = format.start;
  }

  static async open(connector: Connector, options: FormatOptions): Promise<StagedRows> {
    const staged = await connector.stage(options.path);
    try {
      const isWorkbook = findManifestFormat(options.path) === 'xlsx';
      const write = (bytes: Uint8Array) => staged.write(bytes);
      const workbook = isWorkbook ? await WorkbookWriter.open(write) : null;
      return new StagedRows(staged, rowFormatOf(options), workbook);
    } catch (error) {
      await staged.discard();
      throw error;
    }
  }

  async add(cells: readonly RowValue[]): Promise<void> {
    this.#pendingText += this.#format.row(cells, this.#isFirst);
    this.#isFirst = false;
    if (this.#pendingText.length >= maxOpenChars) await this.#flush();
  }

  /** Writes the last bytes. The file keeps its temporary name until `commit`. */
  async end(): Promise<void> {
    this.#pendingText += this.#format.end;
    await this.#flush();
    await this.#workbook?.end();
  }

  async commit(options: TransferOptions): Promise<void> {
    await this.#staged.commit(options);
  }

  async discard(): Promise<void> {
    this.#workbook?.discard();
    await this.#staged.discard();
  }

  async #flush(): Promise<void> {
    if (this.#pendingText !== '')
      await (this.#workbook ?? this.#staged).write(Buffer.from(this.#pendingText));
    this.#pendingText = '';
  }
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
