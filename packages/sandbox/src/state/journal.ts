// An append-only file of changes, one line per flush, which keeps the state across restarts.
import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

const longJournalBytes = 64 * 1024 * 1024;

/** One change: table, id, and the whole record, or null for a deleted one. */
export type Change = readonly [table: string, id: string, record: unknown];

/** Thrown if a complete line of the state file is not valid JSON. */
export class JournalError extends Error {
  override name = 'JournalError';
}

/**
 * Collects changes and writes them with `flush` before the response is sent. A crash can truncate the last line, which
 * was never acknowledged and is dropped on load.
 */
export class Journal {
  readonly #path: string | undefined;
  #fd: number | undefined;
  #pendingChanges = new Map<string, Change>();
  #writtenBytes = 0;

  /** @param dir Folder of the state. If undefined, nothing is stored. */
  constructor(dir: string | undefined) {
    if (dir) mkdirSync(dir, { recursive: true, mode: 0o700 });
    this.#path = dir ? join(dir, 'state.jsonl') : undefined;
  }

  /** Loads all changes on disk, oldest first. */
  load(): Change[] {
    if (!this.#path || !existsSync(this.#path)) return [];
    const lines = readFileSync(this.#path, 'utf8').split('\n');
    // The last item is dropped, because text after the last newline is an incomplete write.
    lines.pop();
    return lines.flatMap((line, index) => parseLine(line, `${this.#path}:${index + 1}`));
  }

  /** Replaces the file with exactly these changes. Later changes are appended. */
  compact(changes: Iterable<Change>): void {
    if (!this.#path) return;
    const newPath = `${this.#path}.new`;
    const lines = [...changes].map((change) => `${JSON.stringify([change])}\n`);
    // The file contains the API key and webhook secrets, so it is created anew with a private mode.
    rmSync(newPath, { force: true });
    writeFileSync(newPath, lines.join(''), { mode: 0o600, flag: 'wx' });
    renameSync(newPath, this.#path);
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = openSync(this.#path, 'a');
    this.#writtenBytes = 0;
    this.#pendingChanges.clear();
  }

  /** True if enough has been appended since the last compaction to be worth another one. */
  get isLong(): boolean {
    return this.#writtenBytes > longJournalBytes;
  }

  record(table: string, id: string, record: unknown): void {
    if (this.#path) this.#pendingChanges.set(`${table}/${id}`, [table, id, record]);
  }

  /** Writes the pending changes. Afterwards they survive a kill of this process, but not a power failure. */
  flush(): void {
    if (this.#pendingChanges.size === 0 || this.#fd === undefined) return;
    const line = Buffer.from(`${JSON.stringify([...this.#pendingChanges.values()])}\n`);
    const sizeBefore = fstatSync(this.#fd).size;
    try {
      writeFileSync(this.#fd, line);
    } catch (error) {
      // A partial line (disk full) would make the next line unreadable.
      ftruncateSync(this.#fd, sizeBefore);
      throw error;
    }
    this.#pendingChanges.clear();
    this.#writtenBytes += line.length;
  }

  close(): void {
    this.flush();
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }
}

function parseLine(line: string, location: string): Change[] {
  try {
    return JSON.parse(line) as Change[];
  } catch {
    throw new JournalError(
      `${location} is not valid JSON. Restore the folder from a copy, or start with another --data folder.`,
    );
  }
}
