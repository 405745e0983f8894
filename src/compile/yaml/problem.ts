import { scrubSecrets } from '../../api/responses/scrub.ts';
import { type ProblemCode, problemCodes } from '../../language/problem-codes.ts';
import { variableName } from '../../settings/secrets/secret-names.ts';

export type Severity = 'error' | 'warning' | 'note';

/** Lines and columns start at 1. Columns count UTF-16 units. The end is exclusive. */
export interface Problem {
  code: ProblemCode;
  severity: Severity;
  message: string;
  /** The pipeline, or a shared part that it includes. */
  file: string;
  /** The pipeline that includes the shared part. Set only for a problem in a shared part. */
  includedBy?: string;
  line: number;
  col: number;
  endLine?: number;
  endCol?: number;
  hint?: string;
}

/** Texts of the shared parts of a pipeline, by the file that problems refer to. */
export type SharedTexts = ReadonlyMap<string, string>;

const frameLinesBefore = 1;
const maxFrameLineLength = 160;
/** Number of characters around the shown part of a line that are searched for secrets too. */
const searchMargin = 400;

/**
 * Formats problems. Each starts with `file:line:col`, so that editors can jump there, followed by the source lines.
 * `source` is the text of the file. Null if it could not be read. `shared` has the texts of included files.
 */
export function formatProblems(
  problems: readonly Problem[],
  source: string | null,
  options: { color?: boolean; shared?: SharedTexts | undefined } = {},
): string {
  const paint = options.color ? paintAnsi : paintNothing;
  const lines = linesOf(source);
  const linesIn = (file: string) => linesOf(options.shared?.get(file) ?? null);
  return problems
    .map((problem) =>
      formatProblem(
        problem,
        problem.includedBy === undefined ? lines : linesIn(problem.file),
        paint,
      ),
    )
    .join('\n\n');
}

function linesOf(source: string | null): string[] {
  return source === null ? [] : source.replace(/^\uFEFF/, '').split('\n');
}

type Paint = (style: Severity | 'dim', text: string) => string;
const paintNothing: Paint = (_style, text) => text;
const ansi = { error: '31', warning: '33', note: '36', dim: '2' } as const;
const paintAnsi: Paint = (style, text) => `\u001B[${ansi[style]}m${text}\u001B[0m`;

function formatProblem(problem: Problem, lines: readonly string[], paint: Paint): string {
  const location = `${toPrintable(problem.file)}:${problem.line}:${problem.col}`;
  const label = paint(problem.severity, `${problem.severity} ${problem.code}`);
  const parts = [`${location} ${label} ${toPrintable(problem.message)}`];
  parts.push(...formatCodeFrame(problem, lines, paint));
  if (problem.includedBy !== undefined) {
    parts.push(`  ${paint('dim', 'included by')} ${toPrintable(problem.includedBy)}`);
  }
  const isNote = problem.severity === 'note';
  const hint = problem.hint ?? (isNote ? '' : problemCodes[problem.code].fix);
  if (hint) parts.push(`  ${paint('dim', 'hint:')} ${toPrintable(hint)}`);
  return parts.join('\n');
}

function formatCodeFrame(problem: Problem, lines: readonly string[], paint: Paint): string[] {
  const sourceLine = lines[problem.line - 1];
  if (sourceLine === undefined || problem.severity === 'note') return [];
  const first = Math.max(1, problem.line - frameLinesBefore);
  const gutter = String(problem.line).length;
  // A very long line is cut in such a way that the marked range stays visible.
  const from = problem.col > maxFrameLineLength - 20 ? problem.col - 60 : 0;
  const frame: string[] = [];
  for (let line = first; line <= problem.line; line++) {
    const fullText = lines[line - 1] ?? '';
    const searched = fullText.slice(Math.max(0, from - searchMargin), from + searchMargin);
    // Output is often kept in logs of CI, so it must not repeat a secret that was written into a file by mistake.
    if (mayContainSecret(searched) && line === problem.line) return [];
    if (mayContainSecret(searched)) continue;
    const text = toPrintable(fullText.slice(from, from + maxFrameLineLength));
    frame.push(`  ${paint('dim', `${String(line).padStart(gutter)} |`)} ${text}`);
  }
  const sameLine = (problem.endLine ?? problem.line) === problem.line;
  const end = sameLine ? (problem.endCol ?? problem.col + 1) : sourceLine.length + 1;
  const width = Math.max(1, Math.min(end, from + maxFrameLineLength) - problem.col);
  const marker = ' '.repeat(Math.max(0, problem.col - 1 - from)) + '^'.repeat(width);
  frame.push(`  ${paint('dim', `${' '.repeat(gutter)} |`)} ${paint(problem.severity, marker)}`);
  return frame;
}

/** A field of YAML, or of a connection string, whose value may be a secret. */
const secretField =
  /(?:passw(?:or)?d|secret|token|(?:access|account|api|private)[_-]?key)(\w*)["']?\s*[:=](?!=)\s*["']?([^\s"',;{}[\]$]+)/gi;
/** The address of a chat's webhook, whose path is a secret. */
const secretAddress = /https?:\/\/[^\s/]*(?:\bhooks?\.|webhook)[^\s/]*\/\w/i;
/** Name of a variable in a field that may also have a secret as its value, such as `password`. */
const longVariableName = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/;

function mayContainSecret(text: string): boolean {
  return (
    scrubSecrets(text) !== text ||
    secretAddress.test(text) ||
    [...text.matchAll(secretField)].some(([, suffix = '', value = '']) =>
      suffix.endsWith('From') ? !variableName.test(value) : !longVariableName.test(value),
    )
  );
}

// oxlint-disable-next-line no-control-regex -- matches control characters on purpose
const unprintable = /[\u0000-\u001F\u007F-\u009F\u2028-\u202E\u2066-\u2069]/g;

/** Replaces control characters, which must not reach the terminal. A tab becomes one space, as columns count it. */
function toPrintable(text: string): string {
  return text.replace(/\r$/, '').replace(/\t/g, ' ').replace(unprintable, '�');
}
