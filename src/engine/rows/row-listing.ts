// Lists the rows of a table as the assets of a run. Each model in the key column is an asset with the file of its rows.
import type { Entry } from '../../connectors/connector.ts';
import { findPathProblem } from '../../connectors/safe-path.ts';
import type { KnownFailure } from '../../failures/define.ts';
import { rowFailures } from '../../failures/rows.ts';
import { formatFirst, formatLines } from '../../plan/helpers/format-first.ts';
import { groupBy } from '../../plan/helpers/group-by.ts';
import type { Failure } from '../../plan/types.ts';
import { foldKey, sourceFailure } from '../../store/discovery/asset-keys.ts';
import { createFileFilter } from '../../store/discovery/file-filter.ts';
import {
  createFileLister,
  type FileListerInput,
  listEntries,
} from '../../store/discovery/list-files.ts';
import type { ListedPage, Lister, PageLimits } from '../../store/discovery/listed-source.ts';
import { rowSourceOf } from '../../store/records/source-version.ts';
import type { OpenTable } from './open-table.ts';

const maxShown = 5;
const maxShownChars = 200;

/** The existing files that rows refer to. */
interface NamedFiles {
  /** Files by path, in the form in which paths are compared (`foldKey`). */
  byPath: ReadonlyMap<string, readonly Entry[]>;
  refused: readonly Failure[];
}

/** The file of a row, or why there is none. */
type NamedFile = Entry | { failure: KnownFailure; message: string };

/** The table that lists the assets of a run. Its files are listed once for all discovery pages. */
export class RowListing {
  readonly #table: OpenTable;
  #files: NamedFiles | null = null;
  #unnamed = { files: 0, first: [] as string[] };

  constructor(table: OpenTable) {
    this.#table = table;
  }

  /** Lists the files that the rows refer to. Each model in the key column is an asset. */
  lister(input: FileListerInput): Lister {
    return {
      ...createFileLister(input),
      list: (signal) => this.#page(input, '', { names: Number.POSITIVE_INFINITY }, signal),
      listPage: (after, limits, signal) => this.#page(input, after, limits, signal),
    };
  }

  /** Returns a warning about files that no row refers to, or null if there are none or nothing was listed. */
  formatUnnamed(): string | null {
    const { files, first } = this.#unnamed;
    if (files === 0) return null;
    const count = files === 1 ? '1 file is' : `${files} files are`;
    const suffix = files > first.length ? ` and ${files - first.length} more` : '';
    return `${this.#table.location}: ${count} not named in any row: ${first.join(', ')}${suffix}`;
  }

  /**
   * Lists a page of at most `names` models. Models whose rows contain no file do not count, because a table may have
   * hundreds of thousands of them.
   *
   * @param after number of models before the page, as text, or '' for the first page
   */
  async #page(
    input: FileListerInput,
    after: string,
    { names, onListed }: Pick<PageLimits, 'names' | 'onListed'>,
    signal: AbortSignal | undefined,
  ): Promise<ListedPage> {
    const first = Number(after);
    this.#files ??= await this.#listNamed(input, signal);
    const page: ListedPage = {
      sources: [],
      failures: first === 0 ? [...this.#files.refused] : [],
      after: null,
    };
    let index = 0;
    let takenModels = 0;
    for (const [key, allRows] of this.#table.models()) {
      index += 1;
      const rows = index > first ? allRows.filter((row) => this.#table.fileOf(row) !== '') : [];
      if (rows.length === 0) continue;
      if (takenModels === names) {
        page.after = String(index - 1);
        break;
      }
      takenModels += 1;
      this.#add(page, key, rows, input);
    }
    onListed?.(page.sources.length);
    return page;
  }

  /** Adds the asset of a model, or its failure. Rows without a key are a failure for each of their files. */
  #add(
    { sources, failures }: ListedPage,
    key: string,
    rows: readonly number[],
    input: FileListerInput,
  ): void {
    if (key === '') {
      const heading = this.#table.plannedTable.key['model'];
      for (const [path, fileRows] of groupBy(rows, (row) => toPath(this.#table.fileOf(row)))) {
        const message = `${this.#formatRows(fileRows)}: the row has no key: column "${heading}" is empty`;
        failures.push(sourceFailure(rowFailures.ROW_INVALID, path, input.node, message));
      }
      return;
    }
    const file = this.#fileOf(key, rows, input);
    if ('failure' in file) {
      failures.push(sourceFailure(file.failure, key, input.node, file.message));
    } else {
      const unkeyed = { id: key, label: key, shortKey: key, longKey: key };
      sources.push({ unkeyed, source: rowSourceOf(file, key) });
    }
  }

  #fileOf(
    key: string,
    rows: readonly number[],
    { connector, config }: Pick<FileListerInput, 'connector' | 'config'>,
  ): NamedFile {
    const failWith = (failure: KnownFailure, problem: string) => ({
      failure,
      message: `${this.#formatRows(rows)}: ${problem}`,
    });
    const [path = '', ...others] = new Set(rows.map((row) => toPath(this.#table.fileOf(row))));
    if (others.length > 0) {
      const files = formatFirst([path, ...others], maxShown);
      return failWith(
        rowFailures.ROW_AMBIGUOUS,
        `"${key}" has ${others.length + 1} different files: ${files}`,
      );
    }
    const label = `"${path.slice(0, maxShownChars)}"`;
    const reason = findPathProblem(path);
    if (reason !== null)
      return failWith(rowFailures.ROW_INVALID, `${label} is not a valid path: ${reason}`);
    const entry = this.#find(path);
    if (entry === 'several') {
      return failWith(
        rowFailures.ROW_AMBIGUOUS,
        `${label} matches several files whose names differ only in case`,
      );
    }
    if (entry !== null) return entry;
    return createFileFilter(config)(path)
      ? failWith(rowFailures.ROW_FILE_MISSING, `${label} is not in ${connector.describe()}`)
      : failWith(
          rowFailures.ROW_INVALID,
          `${label} is not selected by \`include\` and \`exclude\``,
        );
  }

  #formatRows(rows: readonly number[]): string {
    const { location, plannedTable, lineOf } = this.#table;
    const lines = formatLines(rows.map(lineOf), maxShown);
    return `${location}, ${lines}, column "${plannedTable.file}"`;
  }

  /** Finds the file at a path. Case and accent encoding may differ, because tables are typed on other systems. */
  #find(path: string): Entry | 'several' | null {
    const files = this.#files?.byPath.get(foldKey(path)) ?? [];
    const exact = files.filter((entry) => entry.path.normalize('NFC') === path);
    const [only = null, ...others] = exact.length > 0 ? exact : files;
    return others.length > 0 ? 'several' : only;
  }

  async #listNamed(
    { connector, config, node }: FileListerInput,
    signal: AbortSignal | undefined,
  ): Promise<NamedFiles> {
    const namedPaths = new Set<string>();
    for (const [, rows] of this.#table.models()) {
      for (const row of rows) namedPaths.add(foldKey(toPath(this.#table.fileOf(row))));
    }
    const isSource = createFileFilter(config);
    const unnamed = { files: 0, first: [] as string[] };
    const takes = (path: string) => {
      if (!isSource(path)) return false;
      if (namedPaths.has(foldKey(path))) return true;
      unnamed.files += 1;
      if (unnamed.files <= maxShown) unnamed.first.push(path);
      return false;
    };
    const { entries, refused } = await listEntries({ connector, takes, node }, signal);
    this.#unnamed = unnamed;
    return { byPath: groupBy(entries, ({ path }) => foldKey(path)), refused };
  }
}

/** Returns the path below the connector. Backslashes are replaced, because people copy paths from Windows. */
function toPath(cell: string): string {
  return cell.replaceAll('\\', '/').replace(/^(?:\.\/)+/, '');
}
