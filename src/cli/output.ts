// Writes the result of a command to stdout and everything else to stderr. With --json the result is one JSON object and
// the only output on stdout. With JSON logging each note is one JSON line on stderr.
import { docsOf } from '../failures/docs-address.ts';
import { isLogJson, logFields } from '../settings/log-format.ts';
import { type Paint, painter, usesColor } from './color.ts';
import { docsPage } from './docs-page.ts';
import type { Explanation } from './exit.ts';
import type { Io, Terminal } from './io.ts';
import { jsonText, lineByLine, screenText } from './screen-text.ts';

export class Output {
  readonly json: boolean;
  /** Suppresses notes and progress. */
  readonly quiet: boolean;
  /** Every line of output is a JSON object. */
  readonly logsJson: boolean;
  /** Colours for stdout. */
  readonly paint: Paint;
  /** Colours for stderr. */
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

  /** Prints the result of a command: a versioned JSON object with --json, otherwise text. */
  answer<Shape extends { schema: string }>(shape: Shape, text: () => string): void {
    this.#write(this.#io.stdout, `${this.json ? jsonText(shape) : text()}\n`);
  }

  /** Prints text unchanged, with and without --json. */
  raw(text: string): void {
    this.#write(this.#io.stdout, text.endsWith('\n') ? text : `${text}\n`);
  }

  /** Prints a note for people, unless --quiet. */
  note(text: string): void {
    if (!this.quiet) this.#say(text);
  }

  /** Prints the facts behind a question. They are shown even with --quiet, unless the question is already answered by --yes. */
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
    // Further lines are indented, so that a name with a line break cannot imitate a line of this program.
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
