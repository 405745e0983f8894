// Decides what `init` writes: by flags, by asking a person, or by default.
import { isAbsolute, join, relative, resolve } from 'node:path';
import { type Purpose, purposes, starters } from '../../compile/starters/index.ts';
import { Asking, canAsk } from '../ask.ts';
import type { Session } from '../session.ts';
import { guessFolder, inWords, listModels, type ModelFolder } from './model-folder.ts';

export interface InitFlags {
  for?: Purpose | undefined;
  models?: string | undefined;
  samples?: true | undefined;
  yes?: true | undefined;
}

export interface Choice {
  purpose: Purpose;
  /** Absolute path of the models' folder; null if the pipeline has no source folder. */
  models: string | null;
  found: ModelFolder;
  /** Whether to create sample models there. */
  samples: boolean;
}

const nothing: ModelFolder = { models: [], hasMore: false };

/** @param place folder in which `init` writes files */
export async function choose(session: Session, place: string, flags: InitFlags): Promise<Choice> {
  const asks = flags.yes !== true && canAsk(session.io);
  const asking = asks ? new Asking(session.io) : null;
  try {
    const purpose = flags.for ?? (asking ? await askPurpose(asking) : purposes[0]) ?? 'catalogue';
    const samples = flags.samples === true;
    if (!starters[purpose].hasFolder) return { purpose, models: null, found: nothing, samples };
    const given = flags.models === undefined ? null : resolve(session.io.cwd, flags.models);
    const models = given ?? (await findModels(asking, place));
    const found = await listModels(models);
    if (samples || asking === null || found.models.length > 0) {
      return { purpose, models, found, samples };
    }
    const question = `No models in ${folderWord(place, models)} yet. Create sample models there? [Y/n] `;
    return { purpose, models, found, samples: !/^no?$/i.test(await asking.ask(question)) };
  } finally {
    asking?.close();
  }
}

async function askPurpose(asking: Asking): Promise<Purpose> {
  const lines = purposes.map(
    (name, index) => `  ${index + 1}  ${name.padEnd(15)} ${starters[name].title}`,
  );
  const menu = `What is the pipeline for?\n${lines.join('\n')}\n`;
  for (let intro = menu; ; intro = 'Please enter one of the numbers or names.\n') {
    const said = await asking.ask(`${intro}Number or name [1]: `);
    const chosen = purposes.find((name, index) => said === name || said === String(index + 1));
    if (chosen !== undefined) return chosen;
    if (said === '') return 'catalogue';
  }
}

async function findModels(asking: Asking | null, place: string): Promise<string> {
  const guess = (await guessFolder(place)) ?? 'models';
  if (asking === null) return join(place, guess);
  const there = await listModels(join(place, guess));
  const words = there.models.length > 0 ? ` (${inWords(there)})` : '';
  const said = await asking.ask(`Folder with your models [${guess}]${words}: `);
  // The path is relative to the folder in which the files are written.
  return resolve(place, said === '' ? guess : said);
}

/** A folder as the pipeline file names it: relative if the folder is below the file's folder. */
export function folderWord(place: string, folder: string): string {
  const inside = relative(place, folder);
  if (inside === '') return '.';
  return inside.startsWith('..') || isAbsolute(inside) ? folder : inside;
}
