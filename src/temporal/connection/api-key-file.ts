// Reads Temporal's API key from a file, which may be replaced while the process runs.
import { readMonotonicMs } from '../../api/clock.ts';
import { readKeyFile } from '../../settings/secrets/key-file.ts';

/** Temporal's own environment variables do not support a key file. */
export const apiKeyFileVariable = 'TEMPORAL_API_KEY_FILE';

/** The file is read again after this time, ms. */
const keyReadIntervalMs = 5_000;

export class ApiKeyFile {
  readonly path: string;
  readonly warnings: readonly string[];
  readonly #now: () => number;
  #key: string;
  #readAtMs: number;

  /** @throws ConfigError if the file cannot be read or contains no key */
  constructor(path: string, now: () => number = readMonotonicMs) {
    this.path = path;
    this.#now = now;
    const { key, warnings } = readKeyFile(apiKeyFileVariable, path);
    this.#key = key;
    this.warnings = warnings;
    this.#readAtMs = now();
  }

  /**
   * Returns the key. If the file cannot be read, for example while it is being replaced, the previous key stays in use.
   */
  current(): string {
    const nowMs = this.#now();
    if (nowMs - this.#readAtMs < keyReadIntervalMs) return this.#key;
    this.#readAtMs = nowMs;
    try {
      this.#key = readKeyFile(apiKeyFileVariable, this.path).key;
    } catch {
      // The server decides whether the previous key is still valid.
    }
    return this.#key;
  }

  /** Calls `onChange` with each new key. @returns a function that stops watching */
  watch(onChange: (key: string) => void): () => void {
    let lastKey = this.#key;
    const timer = setInterval(() => {
      const key = this.current();
      if (key !== lastKey) onChange(key);
      lastKey = key;
    }, keyReadIntervalMs);
    timer.unref();
    return () => clearInterval(timer);
  }
}
