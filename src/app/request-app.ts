import { waitForAbort } from '../api/abort.ts';
import { removeControls } from '../api/responses/plain-text.ts';
import { App } from './app.ts';
import { closeNames } from './choices/name-context.ts';
import { interruptedError } from './renderline-error.ts';

/** An app with the settings of the front end. It collects the notes of one request for the response. */
export class RequestApp extends App {
  /** Lines of the notes, without control characters or empty lines. */
  readonly noteLines: string[] = [];

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

  /** Does the request's work, then closes its client. @throws RenderlineError INTERRUPTED, while reads may continue */
  async complete<T>(task: () => Promise<T>): Promise<T> {
    if (this.signal.aborted) throw interruptedError();
    const interruption = waitForAbort(this.signal).then((): never => {
      throw interruptedError();
    });
    return Promise.race([this.#workWithNames(task), interruption]);
  }

  async #workWithNames<T>(task: () => Promise<T>): Promise<T> {
    try {
      return await task();
    } finally {
      await closeNames(this);
    }
  }
}
