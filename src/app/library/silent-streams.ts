// Streams of a app without a terminal.
import { Readable, Writable } from 'node:stream';
import { Interrupts } from '../interrupts.ts';

/** @param onNote receives what commands print on stderr */
export function createSilentStreams(onNote: (text: string) => void) {
  const createSink = (writeText: (text: string) => void) =>
    new Writable({
      decodeStrings: false,
      write: (text, _encoding, done) => {
        writeText(String(text).trimEnd());
        done();
      },
    });
  return {
    stdout: createSink(() => {}),
    stderr: createSink(onNote),
    stdin: Readable.from([]),
    interrupts: new Interrupts(),
  };
}
