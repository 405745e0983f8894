// `renderline init`: writes a pipeline for a purpose and a folder of models, with settings and the schema for editors.
import { join, relative, resolve } from 'node:path';
import { type Command, Option } from '@commander-js/extra-typings';
import type { ModelFolder } from '../../../app/init/model-folder.ts';
import { type WrittenStarter, writeStarter } from '../../../app/init/write-starter.ts';
import {
  defaultPurpose,
  firstMaterials,
  type Purpose,
  purposes,
  starterFileOf,
  starterTestFileOf,
} from '../../../compile/starters/index.ts';
import { quoteForShell } from '../../../plan/helpers/quote-for-shell.ts';
import { chooseInit, formatModelFolder } from '../../init/init-choice.ts';
import type { Session } from '../../session.ts';

export function declareInit(command: Command, session: Session): void {
  command
    .argument('[dir]', 'folder to write into', '.')
    .addOption(
      new Option(
        '--for <purpose>',
        'purpose of the pipeline; on a terminal, `init` asks for it',
      ).choices(purposes),
    )
    .option(
      '--models <dir>',
      'folder with your models (default: a folder in DIR that contains models)',
    )
    .option('--samples', 'create sample models in the folder for models')
    .option('--yes', `ask no questions; the default purpose is ${defaultPurpose}`)
    .action(
      session.action(async (dir, flags) => {
        const { cwd } = session.io;
        const folder = resolve(cwd, dir);
        const choice = await chooseInit(session, folder, flags);
        const starter = await writeStarter(session, folder, choice);
        session.output.result(starter.shape, () => formatWritten(starter, relative(cwd, folder)));
      }),
    );
}

/** @param folder path relative to the working directory. Empty if it is the working directory */
function formatWritten({ shape, found }: WrittenStarter, folder: string): string {
  return [
    ...shape.files.map((name) => `wrote ${join(folder, name)}`),
    ...shape.kept.map((name) => `kept  ${join(folder, name)}`),
    ...(found === null ? [] : [`found ${formatModelFolder(found)} in ${shape.models?.folder}`]),
    '',
    ...formatNextSteps(folder, shape.for, found),
  ].join('\n');
}

function formatNextSteps(
  targetFolder: string,
  purpose: Purpose,
  folder: ModelFolder | null,
): string[] {
  const file = starterFileOf(purpose);
  const initArguments = [
    ...(targetFolder === '' ? [] : [quoteForShell(targetFolder)]),
    '--for',
    purpose,
  ];
  const sampleCommand = `renderline init ${initArguments.join(' ')} --yes --samples`;
  return [
    ...(folder?.models.length === 0
      ? [`No models yet. Add models, or create samples: ${sampleCommand}`, '']
      : []),
    'Next:',
    ...(targetFolder === '' ? [] : [`  cd ${quoteForShell(targetFolder)}`]),
    ...formatSteps([
      [`renderline validate ${file}`, 'lists all problems, with their positions'],
      [
        `renderline test ${starterTestFileOf(purpose)}`,
        'runs the tests of the pipeline without a platform (needs Java 17 and Maven)',
      ],
      [
        'renderline dev --speed 10',
        'in a second terminal, same folder: starts Temporal, a sandbox and a worker',
      ],
      [
        '. .renderline/dev/env',
        'once the services are ready: sets their addresses in this terminal',
      ],
      ...(purpose === 'colorways' ? materialSteps : []),
      [`renderline plan ${file}`, 'shows what a run would do and cost; changes nothing'],
      ...(purpose === 'events'
        ? ([[`renderline apply ${file}`, 'from now on, events start runs']] as const)
        : ([
            [
              `renderline run ${file} --wait`,
              'runs the pipeline; the last line shows where the files are',
            ],
          ] as const)),
    ]),
  ];
}

/** Commands that create the materials used in the first table, because a sandbox's library is empty. */
const materialSteps = firstMaterials.map((body) => {
  const command = `renderline api createPantoneMaterial --body ${quoteForShell(JSON.stringify(body))}`;
  return [command, 'adds a material of the table to the library'] as const;
});

function formatSteps(steps: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...steps.map(([command]) => command.length));
  return steps.map(([command, note]) => `  ${command.padEnd(Math.min(width, 44))}  # ${note}`);
}
