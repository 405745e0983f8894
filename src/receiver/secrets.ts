// The secrets that a notification may be signed with: those from the settings, and those read from the platform.
import { readMonotonicMs } from '../api/clock.ts';

export interface SecretSource {
  /** Reads the secret from the platform. Null if this receiver cannot read it. */
  read: (() => Promise<string>) | null;
  now?: () => number;
}

/** Minimum time between two reads, so that forged notifications cannot cause more requests to the platform. */
const refreshIntervalMs = 60_000;

export class Secrets {
  readonly #fixed: readonly string[];
  readonly #source: SecretSource;
  readonly #now: () => number;
  /** Newest first. The previous secret stays valid, because notifications that were signed with it may still arrive. */
  #platformSecrets: string[] = [];
  #refreshedAtMs = Number.NEGATIVE_INFINITY;
  /** The error of the last read. Null if the last read succeeded, or nothing was read. */
  refusal: unknown = null;

  constructor(fixed: readonly string[], source: SecretSource) {
    this.#fixed = fixed;
    this.#source = source;
    this.#now = source.now ?? readMonotonicMs;
  }

  get valid(): readonly string[] {
    return [...this.#fixed, ...this.#platformSecrets];
  }

  add(secret: string): void {
    if (!this.valid.includes(secret))
      this.#platformSecrets = [secret, ...this.#platformSecrets].slice(0, 2);
  }

  /** Reads the secret from the platform. @throws the error of the platform */
  async refresh(): Promise<void> {
    const { read } = this.#source;
    if (read === null) return;
    this.#refreshedAtMs = this.#now();
    try {
      this.add(await read());
      this.refusal = null;
    } catch (error) {
      this.refusal = error;
      throw error;
    }
  }

  /** Reads the secret again, at most once a minute, because it may have changed on the platform. */
  refreshIfDue(): void {
    if (this.#now() - this.#refreshedAtMs < refreshIntervalMs) return;
    // If the read fails, the known secrets stay valid.
    this.refresh().catch(() => undefined);
  }
}
