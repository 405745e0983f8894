// Compiles a pipeline file into a plan, or into problems with their positions (`file:line:col`).
import { type CompileResult, compileFile, compileText } from '../compile/compile.ts';
import type { Limits } from '../compile/pipeline.ts';
import { readShared } from '../compile/shared/read-shared.ts';
import type { Problem } from '../compile/yaml/problem.ts';
import { isMissingFile } from '../compile/yaml/read-file.ts';
import { commandFailures } from '../failures/commands.ts';
import { docsLinkOf } from '../failures/docs-link.ts';
import { formatCount } from '../plan/helpers/format-count.ts';
import type { Plan } from '../plan/types.ts';
import { assertPathAllowed, assertPlanAllowed } from './allowed-folders.ts';
import type { App } from './app.ts';
import { RenderlineError } from './renderline-error.ts';

/** A compiled file, with its path as messages show it. */
export interface CheckedFile extends CompileResult {
  file: string;
}

/** Compiles one file, and returns its problems. @throws RenderlineError for a path outside the allowed folders */
export async function checkFile(
  app: App,
  file: string,
  parameters: Readonly<Record<string, unknown>> | null,
): Promise<CheckedFile> {
  await assertPathAllowed(app, file);
  await app.usePlugins();
  return { file, ...(await compileFile(file, { ...(await app.compileSettings()), parameters })) };
}

/** Checks a pipeline from standard input, named `<stdin>` in problems. Relative paths start at the cwd. */
export async function checkPipelineText(app: App, text: string): Promise<CheckedFile> {
  const { cwd } = app;
  await app.usePlugins();
  const file = '<stdin>';
  const sharedTexts = await readShared(text, cwd, app.folders);
  const settings = await app.compileSettings();
  const options = { ...settings, parameters: null, fileFolder: cwd, shared: sharedTexts };
  return { file, ...compileText(text, file, options) };
}

/** Adds to each problem the docs link of its code, for JSON output. */
export function withDocsLinks(problems: readonly Problem[]): (Problem & { docs: string })[] {
  return problems.map((problem) => ({ ...problem, docs: docsLinkOf(problem.code) }));
}

/**
 * Compiles a file into its plan and limits. Emits the warnings and errors of the file.
 * @throws InvalidPipelineError with all problems when the file is invalid; RenderlineError for a path or a local folder
 *   of the plan that is outside the allowed folders
 */
export async function compilePipeline(
  app: App,
  file: string,
  parameters: Readonly<Record<string, unknown>>,
): Promise<{ plan: Plan; limits: Limits }> {
  return requirePlan(app, await checkFile(app, file, parameters));
}

/**
 * Returns the plan of a checked file. Emits the warnings and errors of the file.
 * @throws InvalidPipelineError with all problems of an invalid file; RenderlineError for a folder that is not allowed
 */
export async function requirePlan(
  app: App,
  checkedFile: CheckedFile,
): Promise<{ plan: Plan; limits: Limits }> {
  assertValid(app, checkedFile);
  const { plan, limits, file } = checkedFile;
  if (plan === null) throw new Error(`${file} is valid but has no plan`);
  await assertPlanAllowed(app, plan);
  return { plan, limits };
}

export class InvalidPipelineError extends RenderlineError {
  readonly problems: readonly Problem[];

  constructor(file: string, problems: readonly Problem[]) {
    const errors = problems.filter(({ severity }) => severity === 'error').length;
    const details = { problems: withDocsLinks(problems) };
    if (problems.some(isMissingFile)) {
      super(commandFailures.ENOENT, `${file} does not exist.`, { details });
    } else {
      const message = `${file} is not valid: ${formatCount(errors, 'problem')}.`;
      super(commandFailures.INVALID_PIPELINE, message, { fix: '', details });
    }
    this.problems = problems;
  }
}

/**
 * Emits warnings and errors. Omits the problem of a missing file, because the thrown error names that file.
 * @throws InvalidPipelineError if there are errors
 */
export function assertValid(app: App, checkedFile: CheckedFile): void {
  reportProblems(app, checkedFile);
  if (!checkedFile.ok) throw new InvalidPipelineError(checkedFile.file, checkedFile.problems);
}

/** Emits the warnings and errors of a file that exists. */
export function reportProblems(app: App, checkedFile: CheckedFile): void {
  const reportedProblems = checkedFile.problems.filter(
    (problem) => problem.severity !== 'note' && !isMissingFile(problem),
  );
  app.reportProblems(checkedFile, reportedProblems);
}
