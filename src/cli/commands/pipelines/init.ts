// `renderline init`: writes a starter pipeline for a purpose and a folder of models, settings, and the schema for editors.
import { join, relative, resolve } from 'node:path';
import { type Command, Option } from '@commander-js/extra-typings';
import { type WrittenStarter, writeStarter } from '../../../app/init/write-starter.ts';
import { purposes } from '../../../compile/starters/index.ts';
import { exitCode } from '../../../failures/exit-code.ts';
import { chooseInit, formatModelFolder } from '../../init/init-choice.ts';
import { nextSteps } from '../../init/next-steps.ts';
import type { Session } from '../../session.ts';

export function declareInit(command: Command, session: Session): void {
  command
    .argument('[dir]', 'folder to write into', '.')
    .addOption(
      new Option('--for <purpose>', 'purpose of the pipeline; asked on a terminal').choices(
        purposes,
      ),
    )
    .option(
      '--models <dir>',
      'folder with your models (default: a folder in DIR that contains models)',
    )
    .option('--samples', 'create sample models in this folder')
    .option('--yes', 'ask no questions; the default purpose is catalogue')
    .action(
      session.action(async (dir, flags) => {
        const { cwd } = session.io;
        const folder = resolve(cwd, dir);
        const choice = await chooseInit(session, folder, flags);
        const written = await writeStarter(session, folder, choice);
        session.output.result(written.shape, () => formatWritten(written, relative(cwd, folder)));
        return exitCode.done;
      }),
    );
}

/** @param folder relative to the working directory; empty if they are the same */
function formatWritten({ shape, found }: WrittenStarter, folder: string): string {
  return [
    ...shape.files.map((name) => `wrote ${join(folder, name)}`),
    ...shape.kept.map((name) => `kept  ${join(folder, name)}`),
    ...(found === null ? [] : [`found ${formatModelFolder(found)} in ${shape.models?.folder}`]),
    '',
    ...nextSteps(folder, shape.for, found),
  ].join('\n');
}
