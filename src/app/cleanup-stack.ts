// Services that a command has started and must stop when it ends.

interface CleanupStep {
  name: string;
  stop: () => Promise<unknown>;
}

/** Time limit for stopping one service, so that a hanging service does not keep the others running. */
const stopTimeoutMs = 45_000;

export class CleanupStack {
  readonly #steps: CleanupStep[] = [];
  readonly #note: (text: string) => void;

  constructor(note: (text: string) => void) {
    this.#note = note;
  }

  add(name: string, stop: () => Promise<unknown>): void {
    this.#steps.push({ name, stop });
  }

  /** Stops all services in reverse order. Never throws, but emits a note for each service that fails to stop. */
  async stopAll(): Promise<void> {
    for (let part = this.#steps.pop(); part !== undefined; part = this.#steps.pop()) {
      try {
        await withStopTimeout(part.stop());
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        this.#note(`could not stop ${part.name}: ${reason}`);
      }
    }
  }
}

async function withStopTimeout(stopping: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new Error(`did not stop within ${stopTimeoutMs / 1000} s`)),
      stopTimeoutMs,
    );
  });
  await Promise.race([stopping, late]).finally(() => clearTimeout(timer));
}
