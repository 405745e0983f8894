// A walk holds the handle of each folder for as long as it reads its names: the file system may need it for each of them.
import { expect, it } from 'vitest';
import { type WithFolder, walk } from '../../src/connectors/disk/local-walk.ts';
import { putFile, tempFolder } from './_temp-folder.ts';

it.each([
  ['to its end', Number.POSITIVE_INFINITY],
  ['and left early', 1],
])('a folder that is read %s is held until then, and no longer', async (_, pages) => {
  const folder = await tempFolder();
  for (let at = 0; at < 600; at += 1) await putFile(folder, `${at}.glb`, '');
  let held = 0;
  const within: WithFolder = async (_folder, work) => {
    held += 1;
    try {
      return await work(folder);
    } finally {
      held -= 1;
    }
  };
  let read = 0;
  for await (const page of walk(within, '', {})) {
    read += 1;
    expect([page.found.length <= 256, held]).toEqual([true, read === 3 ? 0 : 1]);
    if (read === pages) break;
  }
  expect(held).toBe(0);
});
