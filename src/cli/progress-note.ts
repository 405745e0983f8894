// Prints progress notes during long reads.
import type { Session } from './session.ts';

const noteIntervalMs = 2_000;

/** Returns a function that prints at most one note per interval, and none before the first interval has passed. */
export function createProgressNote(
  session: Session,
  format: (done: number) => string,
): (done: number) => void {
  let nextMs = session.io.now() + noteIntervalMs;
  return (done) => {
    if (session.io.now() < nextMs) return;
    nextMs = session.io.now() + noteIntervalMs;
    session.output.note(format(done));
  };
}
