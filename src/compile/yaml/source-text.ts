// The text of a file with its lines. Included files follow in one range of offsets, so that copied values keep theirs.
import { LineCounter } from 'yaml';

/** Offsets in the text. The end is exclusive. */
export type Range = readonly [start: number, end: number];

export interface SourcePosition {
  file: string;
  line: number;
  col: number;
  endLine: number;
  endCol: number;
}

export class SourceText {
  readonly file: string;
  /** The text without a byte order mark, so that columns match what people see. */
  readonly text: string;
  readonly lineCounter = new LineCounter();
  /** Included files, in the order of their offsets. */
  readonly #included: { source: SourceText; start: number }[] = [];

  constructor(file: string, text: string) {
    this.file = file;
    this.text = text.startsWith('\uFEFF') ? text.slice(1) : text;
    for (let end = this.text.indexOf('\n'); end !== -1; end = this.text.indexOf('\n', end + 1)) {
      this.lineCounter.addNewLine(end + 1);
    }
    this.lineCounter.lineStarts.unshift(0);
  }

  /** Assigns the next free offsets to an included file. Returns the offset of its first character. */
  include(source: SourceText): number {
    const last = this.#included.at(-1) ?? { source: this, start: 0 };
    const start = last.start + last.source.text.length + 1;
    this.#included.push({ source, start });
    return start;
  }

  /** Returns the file that contains an offset, and the offset of the first character of that file. */
  fileAt(offset: number): { source: SourceText; start: number } {
    return this.#included.findLast(({ start }) => start <= offset) ?? { source: this, start: 0 };
  }

  positionOf([start, end]: Range): SourcePosition {
    const { source, start: first } = this.fileAt(start);
    const from = source.#positionOf(start - first);
    const to = source.#positionOf(Math.max(start, end) - first);
    return { file: source.file, ...from, endLine: to.line, endCol: to.col };
  }

  #positionOf(offset: number): { line: number; col: number } {
    return this.lineCounter.linePos(Math.max(0, Math.min(offset, this.text.length)));
  }
}
