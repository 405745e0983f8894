// Types of a storage place: the target of PUTs and the files of GETs for one kind of key.

import type { Sandbox } from '../sandbox.ts';
import type { StoredFile } from '../state/files.ts';

export interface UploadPlace {
  /** Name of the model or library item that the file is for. */
  readonly name: string;
  /** The Content-Type that the PUT must send; any when absent. */
  readonly contentType?: string;
  /** Records the file once it is whole. */
  readonly land: (stored: StoredFile) => Promise<void>;
}

export interface FoundFile {
  readonly path: string;
  readonly bytes: number;
  /** Name under which a browser saves it; shown in place when absent. */
  readonly attachment?: string;
}

/** One kind of key. `signedOnly` keeps it off the open CDN. Both are undefined for keys that lead nowhere. */
export interface StoragePlace {
  readonly signedOnly?: true;
  readonly upload?: (sandbox: Sandbox, id: string, key: string) => UploadPlace | undefined;
  readonly find?: (
    sandbox: Sandbox,
    id: string,
    key: string,
  ) => FoundFile | undefined | Promise<FoundFile | undefined>;
}
