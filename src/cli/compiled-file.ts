// Compiles a pipeline file for commands: a plan, or its problems as `file:line:col`.
import { text } from 'node:stream/consumers';
import { type Compiled, compileFile, compileText } from '../compile/compile.ts';
import type { Limits } from '../compile/pipeline.ts';
import { formatProblems, type Problem } from '../compile/yaml/problem.ts';
import { commandFailures } from '../failures/commands.ts';
import { docsOf } from '../failures/docs-address.ts';
import { count } from '../plan/count.ts';
import type { Plan } from '../plan/types.ts';
import { painter, usesColor } from './color.ts';
import { docsPage } from './docs-page.ts';
import { CliError } from './exit.ts';
import { refuseOutside, refusePlanOutside } from './inside-folders.ts';
import type { Terminal } from './io.ts';
import type { Session } from './session.ts';

/** A compiled file under the name that the person gave. */
export interface CheckedFile extends Compiled {
  file: string;
}

/** Checks one file. Problems are in the result, not thrown. */
export async function checkFile(
  session: Session,
  file: string,
  parameters: Readonly<Record<string, unknown>> | null,
): Promise<CheckedFile> {
  const { cwd, env: environment } = session.io;
  await refuseOutside(session.io, file);
  await session.usePlugins();
  return { file, ...(await compileFile(file, { cwd, environment, parameters })) };
}

/** Checks the text of standard input, named `<stdin>` in problems; relative paths in it begin here. */
export async function checkStdin(session: Session): Promise<CheckedFile> {
  const { cwd, env: environment, stdin } = session.io;
  await session.usePlugins();
  const file = '<stdin>';
  const options = { cwd, environment, parameters: null, fileFolder: cwd };
  return { file, ...compileText(await text(stdin), file, options) };
}

/** Problems as JSON has them: each with its address in the docs. */
export function documented(problems: readonly Problem[]): (Problem & { docs: string })[] {
  return problems.map((problem) => ({ ...problem, docs: docsOf(problem.code) }));
}

/**
 * Compiles a file to its plan and caps. Warnings go to stderr.
 * @throws CliError with every problem when the file is not valid.
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

/** Prints warnings, and throws where there are errors. */
export function refuseInvalid(session: Session, checked: CheckedFile): void {
  const { file } = checked;
  const shown = checked.problems.filter(({ severity }) => severity !== 'note');
  if (shown.length > 0) session.output.note(problemText(session, checked, shown));
  if (checked.ok) return;
  const errors = checked.problems.filter(({ severity }) => severity === 'error').length;
  throw new CliError(
    commandFailures.INVALID_PIPELINE,
    `${file} is not valid: ${count(errors, 'problem')}.`,
    { fix: '', details: { problems: documented(checked.problems) } },
  );
}

/** Problems for people, with the lines of the file around them. */
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
    paint('dim', `${code}: ${docsPage(code)}, or type: renderline explain ${code}`),
  );
  return [formatProblems(problems, source, { color }), ...where].join('\n');
}
