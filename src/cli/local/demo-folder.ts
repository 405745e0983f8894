// The folder of `demo` for models and pictures: emptied each time, but never when it holds other files.
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { commandFailures } from '../../failures/commands.ts';
import { CliError } from '../exit.ts';

export interface DemoFolder {
  folder: string;
  models: string;
  pictures: string;
}

/** Marks a folder as made by `demo`, so that the next one may empty it. */
const mark = '.renderline-demo';

/**
 * Makes the folder, or empties one of an earlier demo.
 * @throws CliError when the folder holds something else.
 */
export async function prepareDemoFolder(folder: string): Promise<DemoFolder> {
  const isOurs = existsSync(join(folder, mark));
  if (!isOurs && existsSync(folder) && readdirSync(folder).length > 0) {
    throw new CliError(
      commandFailures.FOLDER_IN_USE,
      `${folder} holds other files; the demo would mix with them.`,
    );
  }
  const models = join(folder, 'models');
  const pictures = join(folder, 'pictures');
  for (const part of [models, pictures]) {
    await rm(part, { recursive: true, force: true });
    await mkdir(part, { recursive: true });
  }
  await writeFile(join(folder, mark), 'Made by `renderline demo`, which empties it each time.\n');
  return { folder, models, pictures };
}
