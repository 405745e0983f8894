// `renderline init`: writes a commented pipeline and settings to start from, and the schema for editors.
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import type { Command } from '@commander-js/extra-typings';
import { pipelineSchemaText } from '../../compile/schema.ts';
import { schemaFile, starterPipeline } from '../../compile/starter.ts';
import { starterTest, testSchemaFile } from '../../compile/test-file/starter-test.ts';
import { testSchemaText } from '../../compile/test-file/test-schema.ts';
import { commandFailures } from '../../failures/commands.ts';
import { exitCode } from '../../failures/exit-code.ts';
import { CliError } from '../exit.ts';
import type { Session } from '../session.ts';
import { starterConfig } from '../starter-config.ts';

export function declareInit(command: Command, session: Session): void {
  command.argument('[dir]', 'folder to write into', '.').action(
    session.action(async (dir) => {
      const folder = resolve(session.io.cwd, dir);
      const files = new Map([
        ['pipeline.yaml', starterPipeline],
        ['renderline.yaml', starterConfig],
        [schemaFile, pipelineSchemaText()],
        ['pipeline.test.yaml', starterTest],
        [testSchemaFile, testSchemaText()],
      ]);
      const there = [...files.keys()].filter((name) => existsSync(join(folder, name)));
      if (there.length > 0) {
        throw new CliError(
          commandFailures.FILE_EXISTS,
          `${there.map((name) => join(folder, name)).join(' and ')} already there; nothing was written.`,
        );
      }
      await mkdir(folder, { recursive: true });
      for (const [name, text] of files) {
        // Never overwrites a file that appeared in the meantime.
        await writeFile(join(folder, name), text, { flag: 'wx' });
      }
      const names = [...files.keys()];
      session.output.answer({ schema: 'renderline/init/v1', folder, files: names }, () =>
        nextSteps(session.io.cwd, folder, names),
      );
      return exitCode.done;
    }),
  );
}

function nextSteps(cwd: string, folder: string, names: readonly string[]): string {
  const place = relative(cwd, folder);
  const pipeline = join(place, 'pipeline.yaml');
  return [
    ...names.map((name) => `wrote ${join(place, name)}`),
    '',
    `Check it:              renderline validate ${pipeline}`,
    `Try its tests:         renderline test ${join(place, 'pipeline.test.yaml')}`,
    `What it would do:      renderline plan ${pipeline} --param folder=DIR --param out=DIR`,
    'All on this machine:   renderline dev',
  ].join('\n');
}
