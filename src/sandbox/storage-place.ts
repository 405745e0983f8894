// One kind of storage key: where its PUTs go and which files its GETs give.
import type { StoredFile } from './files.ts';
import type { Sandbox } from './sandbox.ts';

export interface UploadPlace {
  /** The Content-Type that the PUT must send; any when absent. */
  readonly contentType?: string;
  /** Takes note of the whole file. */
  readonly land: (stored: StoredFile) => Promise<void>;
}

export interface FoundFile {
  readonly path: string;
  readonly bytes: number;
}

/** One kind of key. Both are undefined for keys that lead nowhere. */
export interface StoragePlace {
  readonly upload?: (sandbox: Sandbox, id: string, key: string) => UploadPlace | undefined;
  readonly find?: (
    sandbox: Sandbox,
    id: string,
    key: string,
  ) => FoundFile | undefined | Promise<FoundFile | undefined>;
}
