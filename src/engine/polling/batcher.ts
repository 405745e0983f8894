// Batches the requests of many callers: one call serves all that arrive within a short window.

interface PendingRequest<Item, Result> {
  items: readonly Item[];
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/**
 * Activity attempts of one poll interval start within a few milliseconds of each other, and each requests its own items.
 * The first request opens a window. When the window closes, one call serves all requests. Calls never overlap: requests
 * that arrive during a call wait for the next one, so a slow call is shared by more callers.
 */
export class Batcher<Item, Result> {
  readonly #batchWindowMs: number;
  readonly #runBatch: (items: Item[]) => Promise<Result>;
  #pending: PendingRequest<Item, Result>[] = [];
  /** A window is open or a call is running, so a new request must not open another window. */
  #busy = false;

  constructor(batchWindowMs: number, runBatch: (items: Item[]) => Promise<Result>) {
    this.#batchWindowMs = batchWindowMs;
    this.#runBatch = runBatch;
  }

  /** @param batchWindowMs 0: do not wait for other callers, because the caller has collected all requests already */
  request(items: readonly Item[], batchWindowMs = this.#batchWindowMs): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#pending.push({ items, resolve, reject });
      if (!this.#busy) this.#openWindow(batchWindowMs);
    });
  }

  #openWindow(batchWindowMs: number): void {
    this.#busy = true;
    setTimeout(() => void this.#flush(), batchWindowMs);
  }

  async #flush(): Promise<void> {
    const requests = this.#pending;
    this.#pending = [];
    try {
      const result = await this.#runBatch(requests.flatMap(({ items }) => items));
      for (const { resolve } of requests) resolve(result);
    } catch (error) {
      for (const { reject } of requests) reject(error);
    } finally {
      this.#busy = false;
      if (this.#pending.length > 0) this.#openWindow(this.#batchWindowMs);
    }
  }
}
