// Operations of a source or destination of files. Few, so that a folder, a bucket and a server can all
// provide them; nothing here depends on a local disk.
import type { Readable } from 'node:stream';

/** One file. `path` is relative to the connector's root, with forward slashes. */
export interface Entry {
  path: string;
  bytes: number;
  /** Whole milliseconds since the epoch; 0 where the connector has no times. */
  mtimeMs: number;
  /** Content version where the connector has one. */
  etag?: string;
  /** When anything about the file changed last, by a clock that whoever writes it cannot set; absent where there is none. */
  changedMs?: number;
}

export type SkipReason = 'link-outside' | 'unreadable' | 'unreadable-folder';

export interface ListOptions {
  signal?: AbortSignal | undefined;
  /** Decides by the path alone, before size and time are asked for. */
  accept?: (path: string) => boolean;
  /** Told about what is there but cannot be listed. Without it, an unreadable folder is an error. */
  onSkipped?: (path: string, reason: SkipReason) => void;
  /** Only files behind this path, in the order of `compareNames`; '' for all of them. Absent: all, in no order. */
  after?: string;
}

export interface WriteOptions {
  /** Create only: of many writers, also on other machines, exactly one gets `written`. */
  ifAbsent?: boolean;
  /** On stable storage before the promise resolves: survives a power cut, not only a crash. */
  durable?: boolean;
}

export interface TransferOptions {
  signal?: AbortSignal | undefined;
  /** Told about every piece that moves; a long transfer is not a dead one. */
  onProgress?: (() => void) | undefined;
}

/** A file held open for reading, so that its bytes are those of one version or are known not to be. */
export interface OpenFile {
  /** Stat of the opened file, for telling whether it is the version that was meant. */
  readonly entry: Entry;
  /** All bytes of `entry`, and never more; asked for once. A small file may come in one piece. */
  content(): Promise<Uint8Array | Readable>;
  /** Asked at the end: false when what was read may be of several versions. */
  isUnchanged(): Promise<boolean>;
  close(): Promise<void>;
}

/** A piece of a file, and of which version it is. */
export interface Part {
  entry: Entry;
  bytes: Uint8Array;
}

/** A file that takes its final name only when it is complete. */
export interface Staged {
  /** A local file, empty at first. */
  readonly file: string;
  /** Adds to its end. What goes wrong is the trouble of this place, whoever sends the bytes. */
  write(chunk: Uint8Array): Promise<void>;
  /** Makes the file durable and gives it its final name, replacing what was there. */
  commit(options?: TransferOptions): Promise<Entry>;
  /** Removes what was filled; does nothing after `commit`. */
  discard(): Promise<void>;
}

/**
 * Paths are relative, with forward slashes; a hostile one is refused with `HOSTILE_PATH` before anything
 * is touched. Failures are `ConnectorError`s with a code and a fix.
 */
export interface Connector {
  /** For people: `local folder /data/models`. Never holds a secret. */
  describe(): string;
  /**
   * Throws where the place says by itself, without a write, that files cannot be written as is needed; absent where it does not
   * say. It costs no request once there is a connection.
   */
  checkWritable?(): Promise<void>;
  /**
   * All files below the folder `prefix`, at any depth, in no order unless `after` is given. Names that begin with a dot are left
   * out below the prefix. A prefix that is not there has no files; a root that is not there is an error.
   */
  list(prefix?: string, options?: ListOptions): AsyncIterable<Entry>;
  /** As `list`, without asking for size and time. */
  names(prefix?: string, options?: ListOptions): AsyncIterable<string>;
  /** null when there is no such file. */
  stat(path: string): Promise<Entry | null>;
  /** A whole small file; more than `maxBytes` (16 MiB unless told) is refused with `TOO_LARGE`. */
  read(path: string, maxBytes?: number): Promise<Buffer>;
  /** To be closed by the caller, whatever happens. */
  open(path: string, signal?: AbortSignal): Promise<OpenFile>;
  /** Up to `length` bytes at `offset`; fewer only at the end of the file. */
  readPart(path: string, offset: number, length: number, signal?: AbortSignal): Promise<Part>;
  /** Atomic: readers see the old bytes, nothing, or all of the new ones. Folders are made as needed. */
  write(path: string, bytes: Uint8Array, options?: WriteOptions): Promise<'written' | 'exists'>;
  stage(path: string): Promise<Staged>;
  /** Removing what is not there is no error. */
  remove(path: string): Promise<void>;
}
