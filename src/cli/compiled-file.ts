// Compiles a pipeline file into a plan, or into problems located by `file:line:col`.
import { text } from 'node:stream/consumers';
import { type Compiled, compileFile, compileText } from '../compile/compile.ts';
import type { Limits } from '../compile/pipeline.ts';
import { formatProblems, type Problem } from '../compile/yaml/problem.ts';
import { commandFailures } from '../failures/commands.ts';
import { docsLinkOf } from '../failures/docs-link.ts';
import { formatCount } from '../plan/helpers/format-count.ts';
import type { Plan } from '../plan/types.ts';
import { refuseOutsidePath, refusePlanOutside } from './allowed-folders.ts';
import { CliError } from './cli-error.ts';
import { painter, usesColor } from './color.ts';
import { docsPageUrl } from './docs-page.ts';
import type { Terminal } from './io.ts';
import type { Session } from './session.ts';

/** A compiled file with the path as given on the command line. */
export interface CheckedFile extends Compiled {
  file: string;
}

/** Checks one file. Problems are returned in the result, not thrown. */
export async function checkFile(
  session: Session,
  file: string,
  parameters: Readonly<Record<string, unknown>> | null,
): Promise<CheckedFile> {
  const { cwd, env: environment } = session.io;
  await refuseOutsidePath(session.io, file);
  await session.usePlugins();
  return { file, ...(await compileFile(file, { cwd, environment, parameters })) };
}

/** Checks a pipeline from standard input, named `<stdin>` in problems. Relative paths start at the cwd. */
export async function checkStdin(session: Session): Promise<CheckedFile> {
  const { cwd, env: environment, stdin } = session.io;
  await session.usePlugins();
  const file = '<stdin>';
  const options = { cwd, environment, parameters: null, fileFolder: cwd };
  return { file, ...compileText(await text(stdin), file, options) };
}

/** Adds the docs link of its code to each problem, for JSON output. */
export function withDocsLinks(problems: readonly Problem[]): (Problem & { docs: string })[] {
  return problems.map((problem) => ({ ...problem, docs: docsLinkOf(problem.code) }));
}

/**
 * Compiles a file into its plan and limits. Warnings go to stderr.
 * @throws CliError with all problems when the file is invalid.
 */
export async function compilePipeline(
  session: Session,
  file: string,
  parameters: Readonly<Record<string, unknown>>,
): Promise<{ plan: Plan; limits: Limits }> {
  const checked = await checkFile(session, file, parameters);
  refuseInvalid(session, checked);
  const { plan, limits } = checked;
  if (plan === null) throw new Error(`${file} is valid but gave no plan`);
  await refusePlanOutside(session.io, plan);
  return { plan, limits };
}

/** Prints warnings and errors. @throws CliError when there are errors */
export function refuseInvalid(session: Session, checked: CheckedFile): void {
  const { file } = checked;
  const shown = checked.problems.filter(({ severity }) => severity !== 'note');
  if (shown.length > 0) session.output.note(problemText(session, checked, shown));
  if (checked.ok) return;
  const errors = checked.problems.filter(({ severity }) => severity === 'error').length;
  throw new CliError(
    commandFailures.INVALID_PIPELINE,
    `${file} is not valid: ${formatCount(errors, 'problem')}.`,
    { fix: '', details: { problems: withDocsLinks(checked.problems) } },
  );
}

/** Formats problems for people, with the source lines around each. */
export function problemText(
  session: Session,
  { source }: Pick<CheckedFile, 'source'>,
  problems: readonly Problem[],
  stream: Terminal = session.io.stderr,
): string {
  const color = usesColor(stream, session.io.env);
  const codes = new Set(
    problems.filter(({ severity }) => severity !== 'note').map(({ code }) => code),
  );
  const paint = painter(stream, session.io.env);
  const where = [...codes].map((code) =>
    paint('dim', `${code}: ${docsPageUrl(code)}, or type: renderline explain ${code}`),
  );
  return [formatProblems(problems, source, { color }), ...where].join('\n');
}
