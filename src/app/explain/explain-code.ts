// Explains codes: of problems in files, of failures of assets, runs and commands, and of errors of the platform.
import { errorCodes } from '../../api/contract/error-codes.ts';
import { findNearestName } from '../../api/requests/nearest-name.ts';
import { commandFailures } from '../../failures/commands.ts';
import type { FailureScope, KnownFailure } from '../../failures/define.ts';
import { docsLinkOf } from '../../failures/docs-link.ts';
import { exitCode } from '../../failures/exit-code.ts';
import { runFailures } from '../../failures/runs.ts';
import { findFailure, knownFailures } from '../../features/failures.ts';
import { type CodeText, problemCodes } from '../../language/problem-codes.ts';
import { quoteForShell } from '../../plan/helpers/quote-for-shell.ts';
import { RenderlineError, usageError } from '../renderline-error.ts';
import { exitCodeOfCause } from '../runs/run-details.ts';

export interface CodeShape {
  schema: 'renderline/explain-code/v1';
  code: string;
  scope: 'file' | FailureScope;
  title: string;
  fix: string;
  /** Exit code of a command that fails with this code. Null for problems of a file, which share one exit code. */
  exit: number | null;
  /** Exit codes with which `run --wait` may end because of this failure. Empty if it does not affect the exit code. */
  waitExits: number[];
  docs: string;
}

/** @throws RenderlineError for an unknown code (suggesting a similar one), or for a word that cannot be a code */
export function explainCode(word: string): CodeShape {
  const code = word.toUpperCase();
  const [schema, docs] = ['renderline/explain-code/v1' as const, docsLinkOf(code)];
  const problems: Readonly<Record<string, CodeText>> = problemCodes;
  const problem = Object.hasOwn(problems, code) ? problems[code] : undefined;
  if (problem) return { schema, code, scope: 'file', ...problem, exit: null, waitExits: [], docs };
  const failure = findFailure(code);
  if (failure !== null) {
    const { title, fix, scope, exit } = failure;
    return { schema, code, scope, title, fix, exit, waitExits: exitCodesOfWait(failure), docs };
  }
  if (!/^(rl\d+|[A-Z0-9]+(_[A-Z0-9]+)+)$/i.test(word)) {
    const fix = `To explain an asset, add the pipeline file: renderline explain ${quoteForShell(word)} FILE`;
    throw usageError(`The code "${word}" does not exist.`, fix);
  }
  const codes = [
    ...Object.keys(problemCodes),
    ...knownFailures.map((knownFailure) => knownFailure.code),
    ...Object.keys(errorCodes),
  ];
  const suggestion = findNearestName(code, codes);
  const fix = `Did you mean ${suggestion}? Type: renderline explain ${suggestion}`;
  const message = `The code ${JSON.stringify(word)} does not exist.`;
  throw new RenderlineError(
    commandFailures.CODE_NOT_FOUND,
    message,
    suggestion === null ? {} : { fix },
  );
}

function exitCodesOfWait({ code, scope, stops }: KnownFailure): number[] {
  if (stops !== null) return [exitCodeOfCause({ code, kind: stops })];
  // Both exit codes are possible, because `tolerate.onBreach` decides whether the run pauses or ends.
  if (code === runFailures.TOO_MANY_FAILURES.code) return [exitCode.runFailed, exitCode.later];
  // A run fails if all of its assets have failed.
  return scope === 'asset' ? [exitCode.partial, exitCode.runFailed] : [];
}
