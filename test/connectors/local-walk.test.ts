// A walk keeps the handle of a folder open while it reads the names in it: the file system may need the handle for
// each name.
import { expect, it } from 'vitest';
import { type WithFolder, walk } from '../../src/connectors/disk/local-walk.ts';
import { putFile, tempFolder } from './_temp-folder.ts';

it.each([
  ['to the end', Number.POSITIVE_INFINITY],
  ['is stopped early', 1],
])('the handle of a folder is not kept open after reading %s', async (_, pages) => {
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
    expect([page.files.length <= 256, held]).toEqual([true, read === 3 ? 0 : 1]);
    if (read === pages) break;
  }
  expect(held).toBe(0);
});
