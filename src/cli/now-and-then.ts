// How far a long look has come, said on the way.
import type { Session } from './session.ts';

const everyMs = 2_000;

/** Says nothing of what ends within seconds. */
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
