// A manifest that is written row by row and gets its name when it is complete.
import type { Connector, Staged, TransferOptions } from '../../../connectors/connector.ts';
import type { RowValue } from '../../../plan/rows.ts';
import { type FormatOptions, type RowFormat, rowFormatOf } from './row-format.ts';

const maxOpenChars = 256 * 1024;

export class StagedRows {
  readonly #staged: Staged;
  readonly #format: RowFormat;
  #open: string;
  #isFirst = true;

  private constructor(staged: Staged, format: RowFormat) {
    this.#staged = staged;
    this.#format = format;
    this.#open = format.start;
  }

  static async open(connector: Connector, options: FormatOptions): Promise<StagedRows> {
    return new StagedRows(await connector.stage(options.path), rowFormatOf(options));
  }

  async add(cells: readonly RowValue[]): Promise<void> {
    this.#open += this.#format.row(cells, this.#isFirst);
    this.#isFirst = false;
    if (this.#open.length >= maxOpenChars) await this.#flush();
  }

  /** Writes the last bytes; the file has no name yet. */
  async end(): Promise<void> {
    this.#open += this.#format.end;
    await this.#flush();
  }

  async commit(options: TransferOptions): Promise<void> {
    await this.#staged.commit(options);
  }

  async discard(): Promise<void> {
    await this.#staged.discard();
  }

  async #flush(): Promise<void> {
    if (this.#open !== '') await this.#staged.write(Buffer.from(this.#open));
    this.#open = '';
  }
}
