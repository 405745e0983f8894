// Prepares the folder of `demo`: deletes an earlier demo's models and pictures, refuses a folder with other files.
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { commandFailures } from '../../failures/commands.ts';
import { RenderlineError } from '../renderline-error.ts';

export interface DemoFolder {
  folder: string;
  models: string;
  pictures: string;
}

/** File that marks a folder as created by `demo`, so that the next demo may empty it. */
const mark = '.renderline-demo';

/**
 * Creates the folder, or empties the folders of models and pictures of an earlier demo.
 * @throws RenderlineError if the folder contains other files.
 */
export async function prepareDemoFolder(folder: string): Promise<DemoFolder> {
  const isOurs = existsSync(join(folder, mark));
  if (!isOurs && existsSync(folder) && readdirSync(folder).length > 0) {
    throw new RenderlineError(
      commandFailures.FOLDER_IN_USE,
      `${folder} contains other files, which the demo would mix with its own.`,
    );
  }
  const models = join(folder, 'models');
  const pictures = join(folder, 'pictures');
  for (const part of [models, pictures]) {
    await rm(part, { recursive: true, force: true });
    await mkdir(part, { recursive: true });
  }
  await writeFile(
    join(folder, mark),
    'Created by `renderline demo`, which empties it each time.\n',
  );
  return { folder, models, pictures };
}
