// Prints progress notes during long reads.
import type { Session } from './session.ts';

const everyMs = 2_000;

/** Returns a function that prints at most one note per interval, and none before the first interval has passed. */
export function nowAndThen(
  session: Session,
  words: (done: number) => string,
): (done: number) => void {
  let nextMs = session.io.now() + everyMs;
  return (done) => {
    if (session.io.now() < nextMs) return;
    nextMs = session.io.now() + everyMs;
    session.output.note(words(done));
  };
}
