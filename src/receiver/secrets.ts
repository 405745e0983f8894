// The secrets that a notification may be signed with: what a person set, or what the platform says.
import { monotonicMs } from '../api/clock.ts';

export interface SecretSource {
  /** Asks the platform; null: this receiver cannot. */
  read: (() => Promise<string>) | null;
  now?: () => number;
}

/** A forger must not make us ask the platform more often. */
const askEveryMs = 60_000;

export class Secrets {
  readonly #fixed: readonly string[];
  readonly #source: SecretSource;
  readonly #now: () => number;
  /** Newest first; the one before stays valid, since notifications may still be under way. */
  #read: string[] = [];
  #askedAtMs = Number.NEGATIVE_INFINITY;
  /** Why the platform gave none when it was last asked; null: it gave one, or was not asked. */
  refusal: unknown = null;

  constructor(fixed: readonly string[], source: SecretSource) {
    this.#fixed = fixed;
    this.#source = source;
    this.#now = source.now ?? monotonicMs;
  }

  get valid(): readonly string[] {
    return [...this.#fixed, ...this.#read];
  }

  /** Takes up a secret that the platform gave. */
  learn(secret: string): void {
    if (!this.valid.includes(secret)) this.#read = [secret, ...this.#read].slice(0, 2);
  }

  /** @throws what the platform's answer was. */
  async ask(): Promise<void> {
    const { read } = this.#source;
    if (read === null) return;
    this.#askedAtMs = this.#now();
    try {
      this.learn(await read());
      this.refusal = null;
    } catch (error) {
      this.refusal = error;
      throw error;
    }
  }

  /** Asks again, once a minute at most: the secret may have been changed on the platform. */
  doubt(): void {
    if (this.#now() - this.#askedAtMs < askEveryMs) return;
    // Without an answer the known secrets go on being the valid ones.
    this.ask().catch(() => undefined);
  }
}
