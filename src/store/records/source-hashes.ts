// Hashes of uploaded sources until the record is written. A lost hash only costs work: a touched file is read again.
import type { Connector } from '../../connectors/connector.ts';
import { memoizeByObject } from '../../plan/helpers/memoize.ts';

const maxHashes = 100_000;

export class SourceHashes {
  readonly #hashes = new Map<string, string>();

  /** Stores the sha256 (hex) of the bytes that were uploaded for this version of an asset. */
  set(key: string, version: string, sha256: string): void {
    if (this.#hashes.size >= maxHashes) this.#hashes.clear();
    this.#hashes.set(nameOf(key, version), sha256);
  }

  get(key: string, version: string): string | undefined {
    return this.#hashes.get(nameOf(key, version));
  }

  forget(key: string, version: string): void {
    this.#hashes.delete(nameOf(key, version));
  }
}

export const sourceHashesOf = memoizeByObject((_connector: Connector) => new SourceHashes());

function nameOf(key: string, version: string): string {
  return `${version}\n${key}`;
}
