// The commands that `init` suggests. They work as printed, in this order.
import type { ModelFolder } from '../../app/init/model-folder.ts';
import {
  firstMaterials,
  type Purpose,
  starterFile,
  starterTestFile,
} from '../../compile/starters/index.ts';
import { quoteForShell } from '../../plan/helpers/shell-quote.ts';

/** @param targetFolder folder of the files, relative to the working directory; empty if they are the same */
export function nextSteps(
  targetFolder: string,
  purpose: Purpose,
  found: ModelFolder | null,
): string[] {
  const file = starterFile(purpose);
  const initArguments = [
    ...(targetFolder === '' ? [] : [quoteForShell(targetFolder)]),
    '--for',
    purpose,
  ];
  const sampleCommand = `renderline init ${initArguments.join(' ')} --yes --samples`;
  return [
    ...(found?.models.length === 0
      ? [`There are no models yet. Add some, or create samples: ${sampleCommand}`, '']
      : []),
    'Next:',
    ...(targetFolder === '' ? [] : [`  cd ${quoteForShell(targetFolder)}`]),
    ...formatSteps([
      [`renderline validate ${file}`, 'all problems, with their positions'],
      [
        `renderline test ${starterTestFile(purpose)}`,
        'its tests, without a platform (needs Java 17)',
      ],
      [
        'renderline dev --speed 10',
        'in a second terminal, same folder: Temporal, a sandbox, a worker',
      ],
      ['. .renderline/dev/env', 'once they are ready: sets their addresses in this terminal'],
      ...(purpose === 'colorways' ? materialSteps : []),
      [`renderline plan ${file}`, 'what a run would do and cost; changes nothing'],
      ...(purpose === 'events'
        ? ([[`renderline apply ${file}`, 'from now on events start runs']] as const)
        : ([
            [`renderline run ${file} --wait`, 'runs it; the last line says where the files are'],
          ] as const)),
    ]),
  ];
}

/** Creates the materials that the first table names, because the library of a sandbox is empty. */
const materialSteps = firstMaterials.map((body) => {
  const command = `renderline api createPantoneMaterial --json ${quoteForShell(JSON.stringify(body))}`;
  return [command, 'a material of the table, in the library'] as const;
});

function formatSteps(steps: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...steps.map(([command]) => command.length));
  return steps.map(([command, words]) => `  ${command.padEnd(Math.min(width, 44))}  # ${words}`);
}
