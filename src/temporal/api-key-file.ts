// Temporal's API key from a file, which may be replaced while a process runs.
import { readKeyFile } from '../settings/key-file.ts';

/** Temporal's own variables know no file for the key. */
export const apiKeyFileVariable = 'TEMPORAL_API_KEY_FILE';

/** How old a key may be, ms. */
export const keyIsReadEveryMs = 5_000;

export class ApiKeyFile {
  readonly path: string;
  readonly warnings: readonly string[];
  readonly #now: () => number;
  #key: string;
  #readAtMs: number;

  /** @throws ConfigError for a file that cannot be read or holds no key */
  constructor(path: string, now: () => number = () => performance.now()) {
    this.path = path;
    this.#now = now;
    const { key, warnings } = readKeyFile(apiKeyFileVariable, path);
    this.#key = key;
    this.warnings = warnings;
    this.#readAtMs = now();
  }

  /** As the file has it. A file that cannot be read for a moment, while it is replaced, keeps the key of before. */
  current(): string {
    const nowMs = this.#now();
    if (nowMs - this.#readAtMs < keyIsReadEveryMs) return this.#key;
    this.#readAtMs = nowMs;
    try {
      this.#key = readKeyFile(apiKeyFileVariable, this.path).key;
    } catch {
      // The server says whether the key still holds.
    }
    return this.#key;
  }

  /** Hands over each new key. @returns ends it */
  follow(take: (key: string) => void): () => void {
    let taken = this.#key;
    const timer = setInterval(() => {
      const key = this.current();
      if (key !== taken) take(key);
      taken = key;
    }, keyIsReadEveryMs);
    timer.unref();
    return () => clearInterval(timer);
  }
}
