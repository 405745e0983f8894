// `renderline validate`: prints all problems of all files at once.

import type { Command } from '@commander-js/extra-typings';
import { usageError } from '../../../app/renderline-error.ts';
import {
  resolveFile,
  type ValidationShape,
  validateFiles,
} from '../../../app/validate/validate-files.ts';
import { maxFileLength } from '../../../compile/yaml/document.ts';
import { isMissingFile } from '../../../compile/yaml/read-file.ts';
import { exitCode } from '../../../failures/exit-code.ts';
import { formatCount } from '../../../plan/helpers/format-count.ts';
import { formatFileProblems } from '../../format-file-problems.ts';
import { readInputText } from '../../read-input-text.ts';
import type { Session } from '../../session.ts';
import { escapeForTerminal } from '../../terminal-text.ts';

export function declareValidate(command: Command, session: Session): void {
  command
    .argument('<paths...>', 'pipeline files, folders, or - for standard input')
    .option('--resolved', 'print the file with its shared parts, and where each value comes from')
    .action(session.action((paths, options) => validate(session, paths, options)));
}

async function validate(
  session: Session,
  paths: readonly string[],
  { resolved = false }: { resolved?: true | undefined | false },
): Promise<number> {
  const { io, output } = session;
  const files = paths.filter((path) => path !== '-');
  const stdin =
    files.length < paths.length
      ? await readInputText(io.stdin, 'Standard input', maxFileLength)
      : null;
  const { shape, checked } = await validateFiles(session, files, stdin);
  const [only] = checked;
  if (resolved && (only === undefined || checked.length > 1)) {
    const message = `--resolved prints one pipeline, but ${checked.length} were given.`;
    throw usageError(message, 'Specify one file.');
  }
  // Problems go to stdout, because they are the result of this command. Notes go to stderr.
  const texts: string[] = [];
  for (const file of checked) {
    const notes = file.problems.filter(({ severity }) => severity === 'note');
    const problems = file.problems.filter(({ severity }) => severity !== 'note');
    if (notes.length > 0) output.note(`${formatFileProblems(io, file, notes, io.stderr)}\n`);
    if (problems.length > 0) texts.push(`${formatFileProblems(io, file, problems, io.stdout)}\n`);
  }
  const resolvedFile = resolved && only !== undefined ? resolveFile(only) : null;
  if (resolvedFile !== null) {
    for (const problems of texts) output.note(problems);
    output.result(resolvedFile.shape, () => resolvedFile.text.trimEnd());
    return exitCode.done;
  }
  output.result(shape, () =>
    [...texts, ...shape.files.map((file) => formatResult(file, session))].join('\n'),
  );
  if (shape.valid) return exitCode.done;
  const areMissing = checked.every(({ ok, problems }) => ok || problems.some(isMissingFile));
  return areMissing ? exitCode.notFound : exitCode.usage;
}

function formatResult(
  { file: path, valid, problems }: ValidationShape['files'][number],
  { output }: Session,
): string {
  const file = escapeForTerminal(path);
  if (valid) return `${output.paint('green', 'valid')}    ${file}`;
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  return `${output.paint('red', 'invalid')}  ${file}: ${formatCount(errors, 'problem')}`;
}
