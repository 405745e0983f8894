import { existsSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { isAbsolute, join, relative } from 'node:path';
import { createPipelineSchema, formatSchema, testSchema } from '../../compile/schema.ts';
import {
  formatColorwayTable,
  formatStarterPipeline,
  formatStarterTest,
  type Purpose,
  schemaFile,
  starterFileOf,
  starterTestFileOf,
  tableFile,
  testSchemaFile,
} from '../../compile/starters/index.ts';
import { createFolder } from '../../disk/create-folder.ts';
import { commandFailures } from '../../failures/commands.ts';
import { storageFailures } from '../../failures/storage.ts';
import { formatFirst } from '../../plan/helpers/format-first.ts';
import type { App } from '../app.ts';
import { loadSandbox } from '../local/load-sandbox.ts';
import { RenderlineError } from '../renderline-error.ts';
import { listModels, type ModelFolder, readFirstSlots, topFoldersOf } from './model-folder.ts';
import { starterConfig } from './starter-config.ts';

export interface StarterChoice {
  purpose: Purpose;
  /** Absolute path of the models folder. Null if the pipeline has no source folder. */
  models: string | null;
  modelFolder: ModelFolder;
  /** True to create sample models in the folder `models`. */
  samples: boolean;
  /** True if a person specified the folder. It must then exist, unless `samples` is set. */
  isFolderNamed: boolean;
}

export type WrittenStarter = Awaited<ReturnType<typeof writeStarter>>;

const maxModelsNamed = 5;

/**
 * Writes the files to a folder, which is created if it does not exist.
 * @throws RenderlineError before anything is written, if files of this pipeline exist or a folder cannot be used
 */
export async function writeStarter(app: App, folder: string, choice: StarterChoice) {
  const { purpose, models, samples, modelFolder: foundBefore } = choice;
  for (const path of [folder, models ?? folder]) assertNotFile(path);
  if (choice.isFolderNamed && models !== null && !samples) assertFolderExists(models);
  // A second `init --samples` keeps the existing pipeline and only adds the samples that the first `init` suggested.
  const isForSamples = samples && foundBefore.models.length === 0;
  if (!isForSamples) assertNoneExist(folder, filesOfPipeline(purpose));
  await createFolder(folder);
  if (samples && models !== null) {
    const { writeCatalog } = await loadSandbox();
    await createFolder(models);
    await writeCatalog(models);
  }
  const { files, shared } = await composeFiles(folder, choice);
  const { written, kept } = await writeMissingFiles(folder, files);
  if (shared.length > 0 && written.includes(tableFile)) app.note(describeSharedSlots(shared));
  const modelFolder = models === null ? null : await listModels(models);
  return {
    shape: {
      schema: 'renderline/init/v1' as const,
      folder,
      for: purpose,
      files: written,
      /** Files that existed, such as shared settings. */
      kept,
      models:
        models === null || modelFolder === null
          ? null
          : { folder: toFileFolder(folder, models), count: modelFolder.models.length },
    },
    /** Models found after the samples were created. Null if the pipeline has no source folder. */
    found: modelFolder,
  };
}

/** Returns a folder as it appears in the pipeline file: relative if it is within the file's folder. */
export function toFileFolder(targetFolder: string, folder: string): string {
  const inside = relative(targetFolder, folder);
  if (inside === '') return '.';
  return inside.startsWith('..') || isAbsolute(inside) ? folder : inside;
}

/** @throws RenderlineError if there is a file in place of the folder */
function assertNotFile(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return;
  throw new RenderlineError(commandFailures.ENOTDIR, `${path} is a file; nothing was written.`);
}

/** @throws RenderlineError if a folder of models is missing, because its name is probably mistyped */
function assertFolderExists(folder: string): void {
  if (existsSync(folder)) return;
  throw new RenderlineError(
    storageFailures.FOLDER_NOT_FOUND,
    `The folder ${folder} does not exist; nothing was written.`,
    { fix: 'Correct --models, or create the folder first; --samples also creates it.' },
  );
}

function filesOfPipeline(purpose: Purpose): string[] {
  const table = purpose === 'colorways' ? [tableFile] : [];
  return [starterFileOf(purpose), starterTestFileOf(purpose), ...table];
}

function assertNoneExist(folder: string, names: readonly string[]): void {
  const existingNames = names.filter((name) => existsSync(join(folder, name)));
  if (existingNames.length === 0) return;
  const paths = existingNames.map((name) => join(folder, name)).join(' and ');
  const message = `${paths} already ${existingNames.length === 1 ? 'exists' : 'exist'}; nothing was written.`;
  throw new RenderlineError(commandFailures.FILE_EXISTS, message);
}

/** Describes models without a row in the starter table. */
function describeSharedSlots(ambiguousModels: readonly string[]): string {
  const modelList = formatFirst(ambiguousModels, maxModelsNamed);
  return `Not in ${tableFile}: ${modelList}. None of the slots has a unique name. Rename materials, or add rows to the table.`;
}

/** @returns the file contents by file name, and in `shared` the models without a row in the table */
async function composeFiles(
  folder: string,
  choice: StarterChoice,
): Promise<{ files: Map<string, string>; shared: string[] }> {
  const { purpose } = choice;
  const models = choice.models ?? folder;
  const modelFolder = choice.models === null ? choice.modelFolder : await listModels(models);
  const text = formatStarterPipeline(purpose, {
    models: toFileFolder(folder, models),
    folders: topFoldersOf(modelFolder),
    timezone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
  });
  const hasTable = purpose === 'colorways';
  const { slots, shared } = await readFirstSlots(models, hasTable ? modelFolder.models : []);
  const table: [string, string][] = hasTable ? [[tableFile, formatColorwayTable(slots)]] : [];
  const files = new Map([
    [starterFileOf(purpose), text],
    ...table,
    [starterTestFileOf(purpose), formatStarterTest(purpose)],
    ['renderline.yaml', starterConfig],
    [schemaFile, formatSchema(createPipelineSchema())],
    [testSchemaFile, formatSchema(testSchema())],
  ]);
  return { files, shared };
}

/** Writes only files that do not exist yet, because pipelines may share settings and schemas. */
async function writeMissingFiles(
  folder: string,
  files: ReadonlyMap<string, string>,
): Promise<{ written: string[]; kept: string[] }> {
  const writtenNames: string[] = [];
  const keptNames: string[] = [];
  for (const [name, text] of files) {
    const isNew = await writeFile(join(folder, name), text, { flag: 'wx' }).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'EEXIST') return false;
        throw error;
      },
    );
    (isNew ? writtenNames : keptNames).push(name);
  }
  return { written: writtenNames, kept: keptNames };
}
