// Reports the progress of a long look.
import type { Session } from './session.ts';

const everyMs = 2_000;

/** Silent for the first seconds, so that short looks print nothing. */
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
