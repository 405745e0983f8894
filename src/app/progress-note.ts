import type { App } from './app.ts';

const noteIntervalMs = 2_000;

/** Returns a function that emits at most one note per interval, and none before the first interval has passed. */
export function createProgressNote(
  app: App,
  format: (done: number) => string,
): (done: number) => void {
  let nextNoteAtMs = app.now() + noteIntervalMs;
  return (done) => {
    if (app.now() < nextNoteAtMs) return;
    nextNoteAtMs = app.now() + noteIntervalMs;
    app.note(format(done));
  };
}
