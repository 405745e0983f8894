// A local copy of the clock of a time-skipping server, for code that cannot ask the server each time.
import type { TestWorkflowEnvironment } from '@temporalio/testing';

/** Advances with the machine's clock and moves forward whenever the server's time is read. It never goes back. */
export class TimeSkippingClock {
  readonly #environment: Pick<TestWorkflowEnvironment, 'currentTimeMs' | 'sleep'>;
  #aheadMs = 0;

  constructor(environment: Pick<TestWorkflowEnvironment, 'currentTimeMs' | 'sleep'>) {
    this.#environment = environment;
  }

  readonly now = (): number => Date.now() + this.#aheadMs;

  /** Reads the server's time. */
  async read(): Promise<void> {
    const nowMs = await this.#environment.currentTimeMs();
    this.#aheadMs = Math.max(this.#aheadMs, nowMs - Date.now());
  }

  /** Lets server time pass; returns at once if nothing else is running. */
  async sleep(ms: number): Promise<void> {
    await this.#environment.sleep(ms);
    await this.read();
  }
}
