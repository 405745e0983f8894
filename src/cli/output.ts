// Writes the result of a command to stdout and everything else to stderr. With --json, the result or the error is one
// JSON object and the only output on stdout. With JSON logging, each note is one JSON line on stderr.
import { once } from 'node:events';
import { escapeLines, toTerminalSafeJson } from '../api/responses/plain-text.ts';
import { docsUrlOf } from '../app/docs-page.ts';
import { type Explanation, usageError } from '../app/renderline-error.ts';
import { docsLinkOf } from '../failures/docs-link.ts';
import { joinPieces, toJsonPieces } from '../report/json-pieces.ts';
import { isJsonLogFormat, logFields } from '../settings/log-format.ts';
import { createPaint, isColorUsed, type Paint } from './color.ts';
import type { Io, Terminal } from './io.ts';
import { sanitizeForTerminal } from './terminal-text.ts';

export class Output {
  readonly json: boolean;
  /** Suppresses notes and progress. */
  readonly quiet: boolean;
  /** True if every line of output is a JSON object. */
  readonly logsJson: boolean;
  /** Colours for stdout. */
  readonly paint: Paint;
  /** Colours for stderr. */
  readonly paintNote: Paint;
  readonly #io: Io;

  constructor(io: Io, json: boolean, quiet = false) {
    this.#io = io;
    this.logsJson = isJsonLogFormat(io.env);
    this.json = json || this.logsJson;
    this.quiet = quiet;
    this.paint = createPaint(io.stdout, io.env);
    this.paintNote = createPaint(io.stderr, io.env);
  }

  /** Prints the result of a command: a versioned JSON object with --json, otherwise text. */
  result<Shape extends { schema: string }>(shape: Shape, text: () => string): void {
    this.#write(this.#io.stdout, `${this.json ? toTerminalSafeJson(shape) : text()}\n`);
  }

  /** Like `result`, for a shape with lazy lists. */
  async lazyResult<Shape extends { schema: string }>(
    shape: Shape,
    text: () => string | Promise<string>,
  ): Promise<void> {
    if (this.json) await this.pieces(toJsonPieces(shape));
    else this.raw(await text());
  }

  /** Prints text in pieces to stdout, each after stdout has taken the previous one. */
  async pieces(pieces: AsyncIterable<string>): Promise<void> {
    const { stdout } = this.#io;
    for await (const piece of joinPieces(pieces))
      if (!this.#write(stdout, piece)) await once(stdout, 'drain');
  }

  /** Prints text to stdout, with or without --json. Removes control characters to make it safe for terminals. */
  raw(text: string): void {
    this.#write(this.#io.stdout, text.endsWith('\n') ? text : `${text}\n`);
  }

  help(text: string): void {
    this.result({ schema: 'renderline/help/v1', text }, () => text.trimEnd());
  }

  /** @throws RenderlineError USAGE if --json is set, because `option` prints something else */
  assertNoJson(option: string): void {
    if (!this.json) return;
    throw usageError(`--json and ${option} cannot be combined.`, 'Use only one of the two.');
  }

  /** Prints a note for people, unless --quiet. */
  note(text: string): void {
    if (!this.quiet) this.#printRemark(text);
  }

  /** Prints the facts behind a question, even with --quiet, but not if --yes has already answered the question. */
  questionContext(text: string, isConfirmed: boolean): void {
    if (!isConfirmed || !this.quiet) this.#printRemark(text);
  }

  error(explanation: Explanation): void {
    const { code, message, fix, details, isExpected = false } = explanation;
    const { docs = docsLinkOf(code) } = explanation;
    if (this.json) {
      const shape = { schema: 'renderline/error/v1', code, message, fix, docs, ...details };
      this.raw(toTerminalSafeJson(shape));
    }
    const level = isExpected ? 'info' : 'error';
    if (this.logsJson) return this.#log(level, message, { code, fix, docs, ...details });
    // Further lines are indented, so that a name with a line break cannot imitate the output of this program.
    const shownMessage = escapeLines(message).replace(/\n(?=.)/g, '\n  ');
    this.#printRemark(
      isExpected ? shownMessage : `${this.paintNote('red', 'error')} ${shownMessage}`,
    );
    if (fix !== '') this.#printRemark(escapeLines(fix).replace(/^/gm, '  '));
    if (!isExpected)
      this.#printRemark(this.paintNote('dim', `  ${code}: ${docsUrlOf(code, docs)}`));
  }

  #printRemark(text: string): void {
    if (this.logsJson) return this.#log('info', text);
    this.#write(this.#io.stderr, `${text}\n`);
  }

  #log(level: 'info' | 'error', message: string, extraFields: object = {}): void {
    const line = { ...logFields(level, message, this.#io.now()), ...extraFields };
    this.#write(this.#io.stderr, `${toTerminalSafeJson(line)}\n`);
  }

  /** Returns false if the stream has not taken all text yet. */
  #write(stream: Terminal, text: string): boolean {
    return stream.write(sanitizeForTerminal(text, isColorUsed(stream, this.#io.env)));
  }
}
