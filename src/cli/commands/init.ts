// `renderline init`: writes a starter pipeline for a purpose and a folder of models, settings, and the schema for editors.
import { existsSync, statSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { type Command, Option } from '@commander-js/extra-typings';
import { loadSandbox } from '../../app/local/load-sandbox.ts';
import { RenderlineError } from '../../app/renderline-error.ts';
import { pipelineSchemaText } from '../../compile/schema.ts';
import {
  colorwayTable,
  purposes,
  schemaFile,
  starterFile,
  starterPipeline,
  starterTest,
  starterTestFile,
  tableFile,
  testSchemaFile,
} from '../../compile/starters/index.ts';
import { testSchemaText } from '../../compile/test-file/test-schema.ts';
import { commandFailures } from '../../failures/commands.ts';
import { exitCode } from '../../failures/exit-code.ts';
import { storageFailures } from '../../failures/storage.ts';
import { chooseInit, formatFolder, type InitChoice } from '../init/init-choice.ts';
import { firstSlots, formatModelFolder, listModels, topFolders } from '../init/model-folder.ts';
import { nextSteps } from '../init/next-steps.ts';
import type { Session } from '../session.ts';
import { starterConfig } from '../starter-config.ts';

/** Number of models that a note names. */
const modelsNamed = 5;

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
        const place = resolve(session.io.cwd, dir);
        const purpose = flags.for;
        const choice = await chooseInit(session, place, { ...flags, for: purpose });
        for (const folder of [place, choice.models ?? place]) refuseFileAsFolder(folder);
        if (flags.models !== undefined && choice.models !== null && !choice.samples)
          refuseMissingFolder(choice.models);
        // A second `init --samples` only adds the samples that the first `init` suggested, and keeps the existing pipeline.
        const isForSamples = choice.samples && choice.found.models.length === 0;
        if (!isForSamples) refuseExistingFiles(place, filesOfPipeline(choice));
        await mkdir(place, { recursive: true });
        if (choice.samples && choice.models !== null) {
          const { makeCatalogue } = await loadSandbox();
          await makeCatalogue(choice.models);
        }
        const { files, shared } = await filesOf(place, choice);
        const { wrote, kept } = await writeFiles(place, files);
        if (shared.length > 0 && wrote.includes(tableFile))
          session.output.note(formatSharedSlots(shared));
        const found = choice.models === null ? null : await listModels(choice.models);
        const folder = choice.models === null ? null : formatFolder(place, choice.models);
        const shape = {
          schema: 'renderline/init/v1',
          folder: place,
          for: choice.purpose,
          files: wrote,
          kept,
          models: found === null ? null : { folder, count: found.models.length },
        };
        session.output.result(shape, () =>
          [
            ...wrote.map((name) => `wrote ${join(relative(session.io.cwd, place), name)}`),
            ...kept.map((name) => `kept  ${join(relative(session.io.cwd, place), name)}`),
            ...(found === null ? [] : [`found ${formatModelFolder(found)} in ${folder}`]),
            '',
            ...nextSteps(relative(session.io.cwd, place), choice.purpose, found),
          ].join('\n'),
        );
        return exitCode.done;
      }),
    );
}

/** @throws RenderlineError if a file exists in place of the folder */
function refuseFileAsFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return;
  throw new RenderlineError(commandFailures.ENOTDIR, `${path} is a file; nothing was written.`);
}

/** @throws RenderlineError for a missing --models folder, which is probably mistyped */
function refuseMissingFolder(folder: string): void {
  if (existsSync(folder)) return;
  throw new RenderlineError(
    storageFailures.FOLDER_NOT_FOUND,
    `There is no folder ${folder}; nothing was written.`,
    { fix: 'Correct --models, or create the folder first. With --samples it is created.' },
  );
}

/** Files that belong only to this pipeline. */
function filesOfPipeline({ purpose }: InitChoice): string[] {
  const table = purpose === 'colorways' ? [tableFile] : [];
  return [starterFile(purpose), starterTestFile(purpose), ...table];
}

function refuseExistingFiles(folder: string, names: readonly string[]): void {
  const there = names.filter((name) => existsSync(join(folder, name)));
  if (there.length === 0) return;
  const paths = there.map((name) => join(folder, name)).join(' and ');
  const verb = there.length === 1 ? 'exists' : 'exist';
  throw new RenderlineError(
    commandFailures.FILE_EXISTS,
    `${paths} already ${verb}; nothing was written.`,
  );
}

/** Notes models without a row in the starter table. */
function formatSharedSlots(shared: readonly string[]): string {
  const few = shared.slice(0, modelsNamed).join(', ');
  const more = shared.length > modelsNamed ? ` and ${shared.length - modelsNamed} more` : '';
  return `Not in ${tableFile}, because none of their slots has a unique name: ${few}${more}. Rename their materials, or add rows for them.`;
}

async function filesOf(
  folder: string,
  choice: InitChoice,
): Promise<{ files: Map<string, string>; shared: string[] }> {
  const { purpose } = choice;
  const models = choice.models ?? folder;
  const found = choice.models === null ? choice.found : await listModels(models);
  const text = starterPipeline(purpose, {
    models: formatFolder(folder, models),
    folders: topFolders(found),
    timezone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
  });
  const inspectedModels = purpose === 'colorways' ? found.models : [];
  const { slots, shared } = await firstSlots(models, inspectedModels);
  const files = new Map([
    [starterFile(purpose), text],
    ...(purpose === 'colorways'
      ? [[tableFile, colorwayTable(slots)] satisfies [string, string]]
      : []),
    [starterTestFile(purpose), starterTest(purpose)],
    ['renderline.yaml', starterConfig],
    [schemaFile, pipelineSchemaText()],
    [testSchemaFile, testSchemaText()],
  ]);
  return { files, shared };
}

/** Writes files that do not exist yet, because other pipelines may share settings and schema. */
async function writeFiles(
  folder: string,
  files: ReadonlyMap<string, string>,
): Promise<{ wrote: string[]; kept: string[] }> {
  const wrote: string[] = [];
  const kept: string[] = [];
  for (const [name, text] of files) {
    const isNew = await writeFile(join(folder, name), text, { flag: 'wx' }).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'EEXIST') return false;
        throw error;
      },
    );
    (isNew ? wrote : kept).push(name);
  }
  return { wrote, kept };
}
