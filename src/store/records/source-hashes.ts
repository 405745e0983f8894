// Hashes of sources that were uploaded, kept in memory until the record is written. A lost hash only costs work: a file
// that was touched but not changed is recognized only if its record has a hash.
import type { Connector } from '../../connectors/connector.ts';

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

const byConnector = new WeakMap<Connector, SourceHashes>();

/** One instance for each records connector, so that the activities of a worker share it. */
export function sourceHashesOf(connector: Connector): SourceHashes {
  const known = byConnector.get(connector);
  if (known) return known;
  const hashes = new SourceHashes();
  byConnector.set(connector, hashes);
  return hashes;
}

function nameOf(key: string, version: string): string {
  return `${version}\n${key}`;
}
