// Explains codes: problems of files, failures of assets, runs and commands, and error codes of the platform.
import { errorCodes } from '../../api/contract/error-codes.ts';
import { nearest } from '../../api/requests/nearest-name.ts';
import type { Paint } from '../../cli/color.ts';
import { commandFailures } from '../../failures/commands.ts';
import type { FailureScope } from '../../failures/define.ts';
import { docsLinkOf } from '../../failures/docs-link.ts';
import { findFailure, knownFailures } from '../../features/failures.ts';
import { type CodeText, problemCodes } from '../../language/problem-codes.ts';
import { docsPageUrl } from '../docs-page.ts';
import { RenderlineError } from '../renderline-error.ts';

export interface ExplainedCode {
  code: string;
  /** What the code is about. */
  of: 'file' | FailureScope;
  title: string;
  fix: string;
  /** Exit code of a command that fails with this code; null for problems of a file, which share one exit code. */
  exit: number | null;
  docs: string;
}

/**
 * Explains a code; null for a word that does not look like a code.
 * @throws RenderlineError CODE_NOT_FOUND with the nearest known code
 */
export function explainCode(word: string): ExplainedCode | null {
  const code = word.toUpperCase();
  const docs = docsLinkOf(code);
  const problems: Readonly<Record<string, CodeText>> = problemCodes;
  const problem = Object.hasOwn(problems, code) ? problems[code] : undefined;
  if (problem) return { code, of: 'file', ...problem, exit: null, docs };
  const known = findFailure(code);
  if (known !== null) {
    const { title, fix, scope, exit } = known;
    return { code, of: scope, title, fix, exit, docs };
  }
  if (!/^(rl\d+|[A-Z0-9]+(_[A-Z0-9]+)+)$/i.test(word)) return null;
  const all = [
    ...Object.keys(problemCodes),
    ...knownFailures.map((one) => one.code),
    ...Object.keys(errorCodes),
  ];
  const near = nearest(code, all);
  throw new RenderlineError(
    commandFailures.CODE_NOT_FOUND,
    `There is no code ${JSON.stringify(word)}.`,
    near === null ? {} : { fix: `Did you mean ${near}? Type: renderline explain ${near}` },
  );
}

const scopeDescriptions: Readonly<Record<ExplainedCode['of'], string>> = {
  file: 'a problem of a pipeline file, found before anything is sent',
  asset: 'a failure of one asset; other assets are not affected',
  run: 'a failure that stops a whole run until it is fixed',
  command: 'a failure of one command',
};

export function formatCode({ code, of, title, fix, exit }: ExplainedCode, paint: Paint): string {
  const ends = exit === null ? '' : `, exit code ${exit}`;
  return [
    `${paint('bold', code)}  ${title}`,
    `  ${paint('dim', `${scopeDescriptions[of]}${ends}`)}`,
    '',
    ...fix.split('\n').map((line) => `  ${line}`),
    '',
    `  ${paint('dim', docsPageUrl(code))}`,
  ].join('\n');
}
