// A storage location stores and finds the files of one kind of storage key.

import type { StoredFile } from '../state/files.ts';
import type { Sandbox } from './sandbox.ts';

export interface UploadTarget {
  /** Name of the model or library item that the file belongs to. */
  readonly name: string;
  /** The Content-Type that the PUT request must have. If absent, any type is accepted. */
  readonly contentType?: string | undefined;
  /** Called with the file when all its bytes have arrived. */
  readonly recordFile: (storedFile: StoredFile) => Promise<void>;
}

export interface ServedFile {
  readonly path: string;
  readonly bytes: number;
  /** File name for a download. If absent, browsers show the file inline. */
  readonly attachment?: string;
}

/**
 * How files of one kind of key are stored and found. Both functions return undefined for unknown keys. With
 * `requiresSignature`, files are served only through signed links.
 */
export interface StorageHandlers {
  readonly requiresSignature?: true;
  readonly upload?: (sandbox: Sandbox, id: string, key: string) => UploadTarget | undefined;
  readonly find?: (
    sandbox: Sandbox,
    id: string,
    key: string,
  ) => ServedFile | undefined | Promise<ServedFile | undefined>;
}

/** Returns the target of an upload to the key of a record, or undefined if the record has another key. */
export function toUploadTarget<R extends Pick<UploadTarget, 'name' | 'contentType'>>(
  sandbox: Sandbox,
  record: (R & { readonly uploadKey: string }) | undefined,
  key: string,
  recordFile: (sandbox: Sandbox, record: R, storedFile: StoredFile) => Promise<void>,
): UploadTarget | undefined {
  if (record?.uploadKey !== key) return undefined;
  const { name, contentType } = record;
  return { name, contentType, recordFile: (file) => recordFile(sandbox, record, file) };
}
