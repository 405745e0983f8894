// Decides what `init` writes: by flags, by asking a person, or by default.
import { isAbsolute, join, relative, resolve } from 'node:path';
import { type Purpose, purposes, starters } from '../../compile/starters/index.ts';
import { isInteractive, Prompt } from '../prompt.ts';
import type { Session } from '../session.ts';
import { formatModelFolder, guessFolder, listModels, type ModelFolder } from './model-folder.ts';

export interface InitFlags {
  for?: Purpose | undefined;
  models?: string | undefined;
  samples?: true | undefined;
  yes?: true | undefined;
}

export interface InitChoice {
  purpose: Purpose;
  /** Absolute path of the models' folder; null if the pipeline has no source folder. */
  models: string | null;
  found: ModelFolder;
  /** Whether to create sample models there. */
  samples: boolean;
}

const noModels: ModelFolder = { models: [], hasMore: false };

/** @param targetFolder folder in which `init` writes files */
export async function chooseInit(
  session: Session,
  targetFolder: string,
  flags: InitFlags,
): Promise<InitChoice> {
  const shouldAsk = flags.yes !== true && isInteractive(session.io);
  const prompt = shouldAsk ? new Prompt(session.io) : null;
  try {
    const purpose = flags.for ?? (prompt ? await askPurpose(prompt) : purposes[0]) ?? 'catalogue';
    const samples = flags.samples === true;
    if (!starters[purpose].hasFolder) return { purpose, models: null, found: noModels, samples };
    const given = flags.models === undefined ? null : resolve(session.io.cwd, flags.models);
    const models = given ?? (await findModels(prompt, targetFolder));
    const found = await listModels(models);
    if (samples || prompt === null || found.models.length > 0) {
      return { purpose, models, found, samples };
    }
    const question = `No models in ${formatFolder(targetFolder, models)} yet. Create sample models there? [Y/n] `;
    return { purpose, models, found, samples: !/^no?$/i.test(await prompt.ask(question)) };
  } finally {
    prompt?.close();
  }
}

async function askPurpose(prompt: Prompt): Promise<Purpose> {
  const lines = purposes.map(
    (name, index) => `  ${index + 1}  ${name.padEnd(15)} ${starters[name].title}`,
  );
  const menu = `What is the pipeline for?\n${lines.join('\n')}\n`;
  for (let intro = menu; ; intro = 'Please enter one of the numbers or names.\n') {
    const input = await prompt.ask(`${intro}Number or name [1]: `);
    const chosen = purposes.find((name, index) => input === name || input === String(index + 1));
    if (chosen !== undefined) return chosen;
    if (input === '') return 'catalogue';
  }
}

async function findModels(prompt: Prompt | null, targetFolder: string): Promise<string> {
  const guess = (await guessFolder(targetFolder)) ?? 'models';
  if (prompt === null) return join(targetFolder, guess);
  const guessed = await listModels(join(targetFolder, guess));
  const foundModels = guessed.models.length > 0 ? ` (${formatModelFolder(guessed)})` : '';
  const input = await prompt.ask(`Folder with your models [${guess}]${foundModels}: `);
  // The path is relative to the folder in which the files are written.
  return resolve(targetFolder, input === '' ? guess : input);
}

/** A folder as the pipeline file names it: relative if the folder is below the file's folder. */
export function formatFolder(targetFolder: string, folder: string): string {
  const inside = relative(targetFolder, folder);
  if (inside === '') return '.';
  return inside.startsWith('..') || isAbsolute(inside) ? folder : inside;
}
