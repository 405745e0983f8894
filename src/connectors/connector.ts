// The interface of sources and destinations of files. It has few operations and does not depend on a local disk.
import type { Readable } from 'node:stream';

/** One file. `path` is relative to the connector's root, with forward slashes. */
export interface Entry {
  path: string;
  bytes: number;
  /** Whole milliseconds since the epoch. 0 if the connector has no times. */
  mtimeMs: number;
  /** Content version, if the connector has one. */
  etag?: string;
  /** Last change of the file or its attributes, by a clock that writers cannot set (ctime). Absent if unavailable. */
  changedMs?: number;
}

export type SkipReason = 'link-outside' | 'unreadable' | 'unreadable-folder';

export interface ListOptions {
  signal?: AbortSignal | undefined;
  /** Filter by path. It is called before any separate read of size and time. */
  accept?: (path: string) => boolean;
  /** Called for entries that exist but cannot be listed. Without this callback, an unreadable folder is an error. */
  onSkipped?: (path: string, reason: SkipReason) => void;
  /** Lists only files after this path, ordered by `compareNames`. '' lists all in order. If absent, all, unordered. */
  after?: string;
}

export interface WriteOptions {
  /** Only creates the file. Of several writers, even on different machines, exactly one gets `written`. */
  ifAbsent?: boolean;
  /** Flushes to stable storage, if possible, before the promise resolves, so that the file survives a power failure. */
  durable?: boolean;
}

export interface TransferOptions {
  signal?: AbortSignal | undefined;
  /** Called for each transferred chunk, so that callers can send heartbeats. */
  onProgress?: (() => void) | undefined;
}

/** A file opened for reading. All of its bytes are of one version, or `isUnchanged` returns false. */
export interface OpenFile {
  /** Attributes of the opened file, for checking that it is the expected version. */
  readonly entry: Entry;
  /** Returns all bytes of `entry`, never more. Called once. A small file may be returned in one piece. */
  content(): Promise<Uint8Array | Readable>;
  /** Called at the end. Returns false if the bytes may be from several versions. */
  isUnchanged(): Promise<boolean>;
  close(): Promise<void>;
}

/** A part of a file, with the attributes of its version. */
export interface Part {
  entry: Entry;
  bytes: Uint8Array;
}

/** A file that receives its final name only once it is complete. */
export interface StagedFile {
  /** A local file that is initially empty. */
  readonly file: string;
  /** Appends bytes. Throws errors of this location, not of the sender. */
  write(chunk: Uint8Array): Promise<void>;
  /** Makes the file durable and moves it to its final name, replacing an existing file. */
  commit(options?: TransferOptions): Promise<Entry>;
  /** Deletes the file. Does nothing after `commit`. */
  discard(): Promise<void>;
}

/**
 * Paths are relative, with forward slashes. A hostile path is refused with `HOSTILE_PATH` before any access. Errors of
 * the location or of a file are `ConnectorError`s with a code and a fix.
 */
export interface Connector {
  /** Description for people, such as `local folder /data/models`. Never contains a secret. */
  describe(): string;
  /** Throws if the server has announced that it cannot write as required. Sends nothing. Absent if unknown. */
  checkWritable?(): Promise<void>;
  /**
   * Lists all files below the folder `prefix`, at any depth, unordered unless `after` is given. Names below the prefix
   * that start with a dot are left out. A missing prefix has no files. A missing root folder or bucket is an error.
   */
  list(prefix?: string, options?: ListOptions): AsyncIterable<Entry>;
  /** Like `list`, but returns only paths. */
  names(prefix?: string, options?: ListOptions): AsyncIterable<string>;
  /** Returns the attributes of a file, or null if no file exists at the path. */
  stat(path: string): Promise<Entry | null>;
  /** Reads a whole small file. A file larger than `maxBytes` (default 16 MiB) is refused with `TOO_LARGE`. */
  read(path: string, maxBytes?: number): Promise<Buffer>;
  /** Opens a file. The caller must always close it. */
  open(path: string, signal?: AbortSignal): Promise<OpenFile>;
  /** Reads up to `length` bytes at `offset`. Returns fewer only at the end of the file. */
  readPart(path: string, offset: number, length: number, signal?: AbortSignal): Promise<Part>;
  /** Writes atomically, except with `ifAbsent` on a disk without hard links. Folders are created as needed. */
  write(path: string, bytes: Uint8Array, options?: WriteOptions): Promise<'written' | 'exists'>;
  /** Starts a large file, which is written piece by piece. */
  stage(path: string): Promise<StagedFile>;
  /** Deletes a file. A missing file is not an error. */
  remove(path: string): Promise<void>;
}
