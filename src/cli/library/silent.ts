// Streams of a session without a terminal.
import { Readable, Writable } from 'node:stream';
import { Interrupts } from '../interrupts.ts';

/** @param onNote receives what commands print on stderr */
export function silent(onNote: (text: string) => void) {
  const into = (tell: (text: string) => void) =>
    new Writable({
      decodeStrings: false,
      write: (text, _encoding, done) => {
        tell(String(text).trimEnd());
        done();
      },
    });
  return {
    stdout: into(() => {}),
    stderr: into(onNote),
    stdin: Readable.from([]),
    interrupts: new Interrupts(),
  };
}
