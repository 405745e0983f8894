// Blocks work until a test releases it, and waits for conditions without fixed times.

export class Gate {
  readonly opened: Promise<void>;
  open: () => void = () => undefined;

  constructor() {
    this.opened = new Promise((resolve) => {
      this.open = resolve;
    });
  }

  /** Resolves when the condition holds; rejects after many turns of the event loop. */
  async until(condition: () => boolean): Promise<void> {
    for (let turn = 0; turn < 100_000; turn += 1) {
      if (condition()) return;
      await turnOnce();
    }
    throw new Error('the condition never held');
  }

  /** Yields to the event loop this many times. */
  async turns(count: number): Promise<void> {
    for (let turn = 0; turn < count; turn += 1) await turnOnce();
  }
}

function turnOnce(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1));
}
