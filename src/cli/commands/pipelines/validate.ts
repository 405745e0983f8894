// `renderline validate`: prints all problems of all files at once.
import { text } from 'node:stream/consumers';
import type { Command } from '@commander-js/extra-typings';
import { type ValidationShape, validateFiles } from '../../../app/validate/validate-files.ts';
import { exitCode } from '../../../failures/exit-code.ts';
import { formatCount } from '../../../plan/helpers/format-count.ts';
import { problemText } from '../../format-problems.ts';
import type { Session } from '../../session.ts';
import { escapeForTerminal } from '../../terminal-text.ts';

export function declareValidate(command: Command, session: Session): void {
  command.argument('<paths...>', 'pipeline files, folders, or - for standard input').action(
    session.action(async (paths) => {
      const { io, output } = session;
      const files = paths.filter((path) => path !== '-');
      const stdin = files.length < paths.length ? await text(io.stdin) : null;
      const { shape, checked } = await validateFiles(session, files, stdin);
      // Problems are the result of this command and go to stdout; notes go to stderr.
      const texts: string[] = [];
      for (const one of checked) {
        const notes = one.problems.filter(({ severity }) => severity === 'note');
        const found = one.problems.filter(({ severity }) => severity !== 'note');
        if (notes.length > 0) output.note(`${problemText(io, one, notes, io.stderr)}\n`);
        if (found.length > 0) texts.push(`${problemText(io, one, found, io.stdout)}\n`);
      }
      output.result(shape, () =>
        [...texts, ...shape.files.map((file) => formatResult(file, session))].join('\n'),
      );
      return shape.valid ? exitCode.done : exitCode.usage;
    }),
  );
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
