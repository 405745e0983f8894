import { waitForAbort } from '../api/abort.ts';
import { removeControls } from '../api/responses/plain-text.ts';
import { App } from './app.ts';
import { closeNames } from './choices/name-context.ts';
import { interruptedError } from './renderline-error.ts';

/** An app with the settings of the front end. It collects the notes of one request for the response. */
export class RequestApp extends App {
  /** Lines of the notes, without control characters or empty lines. */
  readonly noteLines: string[] = [];
  #isChanging = false;

  /** @param signal aborts when nobody is waiting for the response any longer */
  constructor({ settings }: App, signal: AbortSignal) {
    super({
      ...settings,
      signal,
      onNote: (text) => {
        const lines = text.split('\n').map(removeControls);
        this.noteLines.push(...lines.filter((line) => line.trim() !== ''));
      },
    });
  }

  override beginChange(): void {
    super.beginChange();
    this.#isChanging = true;
  }

  /**
   * Does the request's work, then closes its client.
   * @throws RenderlineError INTERRUPTED if the request is aborted before its first change. Reads may then continue.
   *   After the first change, the response waits for the outcome.
   */
  async complete<T>(task: () => Promise<T>): Promise<T> {
    if (this.signal.aborted) throw interruptedError();
    const outcome = this.#workWithNames(task);
    const interruption = waitForAbort(this.signal).then(() => {
      if (this.#isChanging) return outcome;
      throw interruptedError('Interrupted before anything was changed.');
    });
    return Promise.race([outcome, interruption]);
  }

  async #workWithNames<T>(task: () => Promise<T>): Promise<T> {
    try {
      return await task();
    } finally {
      await closeNames(this);
    }
  }
}
