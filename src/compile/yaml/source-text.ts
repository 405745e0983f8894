// The text of a file with the lines and columns of its offsets.
import { LineCounter } from 'yaml';

/** Offsets into the text; the end is exclusive. */
export type Range = readonly [start: number, end: number];

export interface SourcePosition {
  line: number;
  col: number;
  endLine: number;
  endCol: number;
}

export class SourceText {
  readonly file: string;
  /** Without byte order mark, so that columns match what people see. */
  readonly text: string;
  readonly lineCounter = new LineCounter();

  constructor(file: string, text: string) {
    this.file = file;
    this.text = text.startsWith('\uFEFF') ? text.slice(1) : text;
    for (let at = this.text.indexOf('\n'); at !== -1; at = this.text.indexOf('\n', at + 1)) {
      this.lineCounter.addNewLine(at + 1);
    }
    this.lineCounter.lineStarts.unshift(0);
  }

  positionOf([start, end]: Range): SourcePosition {
    const from = this.lineCounter.linePos(this.#clamp(start));
    const to = this.lineCounter.linePos(this.#clamp(Math.max(start, end)));
    return { line: from.line, col: from.col, endLine: to.line, endCol: to.col };
  }

  #clamp(offset: number): number {
    return Math.max(0, Math.min(offset, this.text.length));
  }
}
