// Writes the answer to stdout and everything else to stderr. With --json the answer is one
// JSON object and stdout carries nothing else; where the log is collected as JSON, each remark is a line of it.
import { docsOf } from '../failures/docs-address.ts';
import { isLogJson, logFields } from '../settings/log-format.ts';
import { type Paint, painter, usesColor } from './color.ts';
import { docsPage } from './docs-page.ts';
import type { Explanation } from './exit.ts';
import type { Io, Terminal } from './io.ts';
import { jsonText, lineByLine, screenText } from './screen-text.ts';

export class Output {
  readonly json: boolean;
  /** No remarks and no progress. */
  readonly quiet: boolean;
  /** Every line is a JSON object. */
  readonly logsJson: boolean;
  /** Colours for the answer. */
  readonly paint: Paint;
  /** Colours for remarks. */
  readonly paintNote: Paint;
  readonly #io: Io;

  constructor(io: Io, json: boolean, quiet = false) {
    this.#io = io;
    this.logsJson = isLogJson(io.env);
    this.json = json || this.logsJson;
    this.quiet = quiet;
    this.paint = painter(io.stdout, io.env);
    this.paintNote = painter(io.stderr, io.env);
  }

  /** Prints the answer of a command: a versioned object for machines, text for people. */
  answer<Shape extends { schema: string }>(shape: Shape, text: () => string): void {
    this.#write(this.#io.stdout, `${this.json ? jsonText(shape) : text()}\n`);
  }

  /** Prints text that is the answer in both forms (a graph for another program, a file). */
  raw(text: string): void {
    this.#write(this.#io.stdout, text.endsWith('\n') ? text : `${text}\n`);
  }

  /** Prints a remark for people. */
  note(text: string): void {
    if (!this.quiet) this.#say(text);
  }

  /** Prints what a question is about, which a person has to see, however quiet, unless it is answered already. */
  subject(text: string, isAnswered: boolean): void {
    if (!isAnswered || !this.quiet) this.#say(text);
  }

  /** Prints an error with its fix. */
  error({ code, message, fix, details, isPlanned = false }: Explanation): void {
    const docs = docsOf(code);
    if (this.json) {
      const shape = { schema: 'renderline/error/v1', code, message, fix, docs, ...details };
      this.raw(jsonText(shape));
    }
    const level = isPlanned ? 'info' : 'error';
    if (this.logsJson) return this.#log(level, message, { code, fix, docs, ...details });
    // What goes on is set in, so that a name with a line end cannot pass for a line of ours.
    const said = lineByLine(message).replace(/\n(?=.)/g, '\n  ');
    this.#say(isPlanned ? said : `${this.paintNote('red', 'error')} ${said}`);
    if (fix !== '') this.#say(lineByLine(fix).replace(/^/gm, '  '));
    if (!isPlanned) this.#say(this.paintNote('dim', `  ${code}: ${docsPage(code)}`));
  }

  #say(text: string): void {
    if (this.logsJson) return this.#log('info', text);
    this.#write(this.#io.stderr, `${text}\n`);
  }

  #log(level: 'info' | 'error', message: string, more: object = {}): void {
    const line = { ...logFields(level, message, this.#io.now()), ...more };
    this.#write(this.#io.stderr, `${jsonText(line)}\n`);
  }

  #write(stream: Terminal, text: string): void {
    stream.write(screenText(text, usesColor(stream, this.#io.env)));
  }
}
