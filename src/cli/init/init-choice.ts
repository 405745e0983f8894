// Decides what `init` writes, based on flags, on the answers of a person, or on defaults.
import { join, resolve } from 'node:path';
import {
  guessFolder,
  listModels,
  type ModelFolder,
  topFoldersOf,
} from '../../app/init/model-folder.ts';
import { type StarterChoice, toFileFolder } from '../../app/init/write-starter.ts';
import { defaultPurpose, type Purpose, purposes, starters } from '../../compile/starters/index.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import { isInteractiveInput, Prompt } from '../prompt.ts';
import type { Session } from '../session.ts';

export interface InitFlags {
  for?: Purpose | undefined;
  models?: string | undefined;
  samples?: true | undefined;
  yes?: true | undefined;
}

const noModels: ModelFolder = { models: [], hasMore: false };

/** @param targetFolder folder that `init` writes files to */
export async function chooseInit(
  session: Session,
  targetFolder: string,
  flags: InitFlags,
): Promise<StarterChoice> {
  const shouldAsk = flags.yes !== true && isInteractiveInput(session.io);
  const prompt = shouldAsk ? new Prompt(session.io) : null;
  try {
    const purpose = flags.for ?? (prompt ? await askPurpose(prompt) : defaultPurpose);
    const samples = flags.samples === true;
    const choice = { purpose, isFolderNamed: flags.models !== undefined, samples };
    if (!starters[purpose].hasFolder) return { ...choice, models: null, modelFolder: noModels };
    const folder = flags.models === undefined ? null : resolve(session.io.cwd, flags.models);
    const models = folder ?? (await findModels(prompt, targetFolder));
    const modelFolder = await listModels(models);
    if (samples || prompt === null || modelFolder.models.length > 0) {
      return { ...choice, models, modelFolder };
    }
    const question = `No models in ${toFileFolder(targetFolder, models)} yet. Create sample models there? [Y/n] `;
    return { ...choice, models, modelFolder, samples: !/^no?$/i.test(await prompt.ask(question)) };
  } finally {
    prompt?.close();
  }
}

async function askPurpose(prompt: Prompt): Promise<Purpose> {
  const lines = purposes.map(
    (name, index) => `  ${index + 1}  ${name.padEnd(15)} ${starters[name].title}`,
  );
  const defaultNumber = purposes.indexOf(defaultPurpose) + 1;
  const menu = `What is the pipeline for?\n${lines.join('\n')}\n`;
  for (let intro = menu; ; intro = 'Please enter one of the numbers or names.\n') {
    const input = await prompt.ask(`${intro}Number or name [${defaultNumber}]: `);
    const match = purposes.find((name, index) => input === name || input === String(index + 1));
    if (match !== undefined) return match;
    if (input === '') return defaultPurpose;
  }
}

async function findModels(prompt: Prompt | null, targetFolder: string): Promise<string> {
  const guess = (await guessFolder(targetFolder)) ?? 'models';
  if (prompt === null) return join(targetFolder, guess);
  const folder = await listModels(join(targetFolder, guess));
  const foundModels = folder.models.length > 0 ? ` (${formatModelFolder(folder)})` : '';
  const input = await prompt.ask(`Folder with your models [${guess}]${foundModels}: `);
  // A relative path is relative to the folder that the files are written to.
  return resolve(targetFolder, input === '' ? guess : input);
}

/** Formats, for example, "12 models in 3 folders". */
export function formatModelFolder(folder: ModelFolder): string {
  const count = `${folder.hasMore ? 'more than ' : ''}${formatCount(folder.models.length, 'model')}`;
  const folders = topFoldersOf(folder).length;
  return folders > 1 ? `${count} in ${folders} folders` : count;
}
