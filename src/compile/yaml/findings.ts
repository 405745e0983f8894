// Collects problems with their positions while a file is checked.
import { scrubSecrets } from '../../api/responses/scrub.ts';
import type { ProblemCode } from '../../language/problem-codes.ts';
import { omitUndefined } from '../../plan/helpers/omit-undefined.ts';
import type { Problem, Severity } from './problem.ts';
import type { Range, SourceText } from './source-text.ts';

/** Maximum number of problems kept per severity. A hostile file can contain a problem in every byte. */
export const maxPerSeverity = 200;

/** The hint is a function if it is expensive to create. It is called only if the problem is shown. */
export type Hint = string | undefined | (() => string | undefined);

export class Findings {
  readonly source: SourceText;
  readonly #problems = new Map<string, { problem: Problem; offset: number }>();
  readonly #codes = new Set<ProblemCode>();
  readonly #counts: Record<Severity, number> = { error: 0, warning: 0, note: 0 };

  #including: { findings: Findings; start: number } | null = null;

  constructor(source: SourceText) {
    this.source = source;
  }

  /** Findings of an included file, which are findings of this file too. `start`: offset of its first character. */
  ofIncluded(source: SourceText): { findings: Findings; start: number } {
    const start = this.source.include(source);
    const findings = new Findings(source);
    findings.#including = { findings: this, start };
    return { findings, start };
  }

  error(code: ProblemCode, range: Range, message: string, hint?: Hint): void {
    this.#add('error', code, range, message, hint);
  }

  warning(code: ProblemCode, range: Range, message: string, hint?: Hint): void {
    this.#add('warning', code, range, message, hint);
  }

  note(range: Range, message: string): void {
    this.#add('note', 'RL601', range, message, undefined);
  }

  /** Number of all errors, including those beyond the limit. */
  get errorCount(): number {
    return this.#counts.error;
  }

  has(code: ProblemCode): boolean {
    return this.#codes.has(code);
  }

  /** Returns errors, warnings and notes in the order of the file, followed by those of the files that it includes. */
  all(): Problem[] {
    return [...this.#problems.values()]
      .sort((a, b) => a.offset - b.offset)
      .map(({ problem }) => problem);
  }

  #add(severity: Severity, code: ProblemCode, range: Range, message: string, hint: Hint): void {
    if (this.#including !== null) {
      const { findings, start } = this.#including;
      findings.#add(severity, code, [range[0] + start, range[1] + start], message, hint);
    }
    const position = this.source.positionOf(range);
    const { file } = this.source;
    const key = [code, position.file, position.line, position.col, message].join(' ');
    if (this.#problems.has(key)) return;
    this.#codes.add(code);
    this.#counts[severity] += 1;
    if (this.#counts[severity] > maxPerSeverity) return;
    const hintText = typeof hint === 'function' ? hint() : hint;
    const problem: Problem = {
      code,
      severity,
      message: scrubSecrets(message),
      ...position,
      ...(position.file === file ? {} : { includedBy: file }),
      ...omitUndefined({ hint: hintText }),
    };
    this.#problems.set(key, { problem, offset: Math.max(0, range[0]) });
  }
}
