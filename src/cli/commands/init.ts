// `renderline init`: writes a pipeline for a purpose and a folder of models, settings, and the schema for editors.
import { existsSync, statSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { type Command, Option } from '@commander-js/extra-typings';
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
import { placeFailures } from '../../failures/places.ts';
import { CliError } from '../exit.ts';
import { type Choice, choose, folderWord } from '../init/choose.ts';
import { firstSlots, inWords, listModels, topFolders } from '../init/model-folder.ts';
import { nextSteps } from '../init/next-steps.ts';
import { loadSandbox } from '../local/load-sandbox.ts';
import type { Session } from '../session.ts';
import { starterConfig } from '../starter-config.ts';

/** Models that a note names. */
const modelsNamed = 5;

export function declareInit(command: Command, session: Session): void {
  command
    .argument('[dir]', 'folder to write into', '.')
    .addOption(
      new Option('--for <what>', 'what the pipeline is for; asked on a terminal').choices(purposes),
    )
    .option('--models <dir>', 'folder with your models (default: the one in DIR that has some)')
    .option('--samples', 'put a few sample models there')
    .option('--yes', 'ask nothing: a catalogue, unless --for says otherwise')
    .action(
      session.action(async (dir, flags) => {
        const place = resolve(session.io.cwd, dir);
        const purpose = flags.for;
        const choice = await choose(session, place, { ...flags, for: purpose });
        for (const folder of [place, choice.models ?? place]) refuseFile(folder);
        if (flags.models !== undefined && choice.models !== null && !choice.samples)
          refuseMissing(choice.models);
        // Samples that a first `init` has told of, for the pipeline that it wrote.
        const isForThem = choice.samples && choice.found.models.length === 0;
        if (!isForThem) refuseIfThere(place, ownFiles(choice));
        await mkdir(place, { recursive: true });
        if (choice.samples && choice.models !== null) {
          const { makeCatalogue } = await loadSandbox();
          await makeCatalogue(choice.models);
        }
        const { files, shared } = await filesOf(place, choice);
        const { wrote, kept } = await writeFiles(place, files);
        if (shared.length > 0 && wrote.includes(tableFile)) session.output.note(sharedText(shared));
        const found = choice.models === null ? null : await listModels(choice.models);
        const folder = choice.models === null ? null : folderWord(place, choice.models);
        const shape = {
          schema: 'renderline/init/v1',
          folder: place,
          for: choice.purpose,
          files: wrote,
          kept,
          models: found === null ? null : { folder, count: found.models.length },
        };
        session.output.answer(shape, () =>
          [
            ...wrote.map((name) => `wrote ${join(relative(session.io.cwd, place), name)}`),
            ...kept.map((name) => `kept  ${join(relative(session.io.cwd, place), name)}`),
            ...(found === null ? [] : [`found ${inWords(found)} in ${folder}`]),
            '',
            ...nextSteps(relative(session.io.cwd, place), choice.purpose, found),
          ].join('\n'),
        );
        return exitCode.done;
      }),
    );
}

/** A file stands where a folder is meant. */
function refuseFile(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return;
  throw new CliError(commandFailures.ENOTDIR, `${path} is a file; nothing was written.`);
}

/** A folder that a person names and that is not there is a slip. */
function refuseMissing(folder: string): void {
  if (existsSync(folder)) return;
  throw new CliError(
    placeFailures.FOLDER_NOT_FOUND,
    `There is no folder ${folder}; nothing was written.`,
    { fix: 'Correct --models, or make the folder first; with --samples it is made.' },
  );
}

/** Files that belong to this pipeline alone. */
function ownFiles({ purpose }: Choice): string[] {
  const table = purpose === 'colorways' ? [tableFile] : [];
  return [starterFile(purpose), starterTestFile(purpose), ...table];
}

function refuseIfThere(place: string, names: readonly string[]): void {
  const there = names.filter((name) => existsSync(join(place, name)));
  if (there.length === 0) return;
  const paths = there.map((name) => join(place, name)).join(' and ');
  const verb = there.length === 1 ? 'is' : 'are';
  throw new CliError(
    commandFailures.FILE_EXISTS,
    `${paths} ${verb} already there; nothing was written.`,
  );
}

/** Models without a row in the first table. */
function sharedText(shared: readonly string[]): string {
  const few = shared.slice(0, modelsNamed).join(', ');
  const more = shared.length > modelsNamed ? ` and ${shared.length - modelsNamed} more` : '';
  return `Not in ${tableFile}, since no slot of them has a name of its own: ${few}${more}. Rename their materials, or write rows for them.`;
}

async function filesOf(
  place: string,
  choice: Choice,
): Promise<{ files: Map<string, string>; shared: string[] }> {
  const { purpose } = choice;
  const models = choice.models ?? place;
  const found = choice.models === null ? choice.found : await listModels(models);
  const text = starterPipeline(purpose, {
    models: folderWord(place, models),
    folders: topFolders(found),
    timezone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
  });
  const looked = purpose === 'colorways' ? found.models : [];
  const { slots, shared } = await firstSlots(models, looked);
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

/** Writes what is not there: settings and schema may serve other pipelines already. */
async function writeFiles(
  place: string,
  files: ReadonlyMap<string, string>,
): Promise<{ wrote: string[]; kept: string[] }> {
  const wrote: string[] = [];
  const kept: string[] = [];
  for (const [name, text] of files) {
    const isNew = await writeFile(join(place, name), text, { flag: 'wx' }).then(
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
