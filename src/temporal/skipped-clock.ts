// The time of a server that skips it, for code that cannot ask the server each time.
import type { TestWorkflowEnvironment } from '@temporalio/testing';

/** Goes on as the machine's clock does, and is set on whenever it is read from the server. It never goes back. */
export class SkippedClock {
  readonly #environment: Pick<TestWorkflowEnvironment, 'currentTimeMs' | 'sleep'>;
  #aheadMs = 0;

  constructor(environment: Pick<TestWorkflowEnvironment, 'currentTimeMs' | 'sleep'>) {
    this.#environment = environment;
  }

  readonly now = (): number => Date.now() + this.#aheadMs;

  /** Asks the server. */
  async read(): Promise<void> {
    const nowMs = await this.#environment.currentTimeMs();
    this.#aheadMs = Math.max(this.#aheadMs, nowMs - Date.now());
  }

  /** Lets time pass: at once where nothing else is under way. */
  async sleep(ms: number): Promise<void> {
    await this.#environment.sleep(ms);
    await this.read();
  }
}
