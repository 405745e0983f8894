// `renderline validate`: prints all problems of all files at once.
import { text } from 'node:stream/consumers';
import type { Command } from '@commander-js/extra-typings';
import {
  type CheckedFile,
  checkFile,
  checkText,
  withDocsLinks,
} from '../../app/compile-pipeline.ts';
import { listFiles } from '../../app/pipeline-files.ts';
import { RenderlineError } from '../../app/renderline-error.ts';
import { commandFailures } from '../../failures/commands.ts';
import { exitCode } from '../../failures/exit-code.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import { problemText } from '../format-problems.ts';
import type { Session } from '../session.ts';
import { escapeForTerminal } from '../terminal-text.ts';

export function declareValidate(command: Command, session: Session): void {
  command.argument('<paths...>', 'pipeline files, folders, or - for standard input').action(
    session.action(async (paths) => {
      const checked: CheckedFile[] = [];
      // Parameters are null, because a file may be valid without their values.
      const files = paths.filter((path) => path !== '-');
      if (files.length < paths.length)
        checked.push(await checkText(session, await text(session.io.stdin)));
      for (const { file } of await listFiles(session, files, { deep: true })) {
        checked.push(await checkFile(session, file, null));
      }
      if (checked.length === 0) throw noPipelinesError(files);
      // Problems are the result of this command and go to stdout; notes go to stderr.
      const texts: string[] = [];
      const { stdout, stderr } = session.io;
      for (const one of checked) {
        const notes = one.problems.filter(({ severity }) => severity === 'note');
        const found = one.problems.filter(({ severity }) => severity !== 'note');
        if (notes.length > 0) {
          session.output.note(`${problemText(session.io, one, notes, stderr)}\n`);
        }
        if (found.length > 0) texts.push(`${problemText(session.io, one, found, stdout)}\n`);
      }
      const results = checked.map(({ file, ok, problems }) => ({
        file,
        valid: ok,
        problems: withDocsLinks(problems),
      }));
      const valid = results.every((result) => result.valid);
      session.output.result({ schema: 'renderline/validate/v1', valid, files: results }, () =>
        [...texts, ...results.map((result) => formatResult(result, session))].join('\n'),
      );
      return valid ? exitCode.done : exitCode.usage;
    }),
  );
}

function formatResult(
  {
    file: path,
    valid,
    problems,
  }: { file: string; valid: boolean; problems: CheckedFile['problems'] },
  { output }: Session,
): string {
  const file = escapeForTerminal(path);
  if (valid) return `${output.paint('green', 'valid')}    ${file}`;
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  return `${output.paint('red', 'invalid')}  ${file}: ${formatCount(errors, 'problem')}`;
}

function noPipelinesError(folders: readonly string[]): RenderlineError {
  return new RenderlineError(
    commandFailures.NO_PIPELINES,
    `There is no pipeline in ${folders.join(' or ')}: no YAML file has \`nodes:\`.`,
  );
}
