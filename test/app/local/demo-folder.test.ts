import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { prepareDemoFolder } from '../../../src/app/local/run-demo.ts';
import { folderWith } from '../../cli/_folder.ts';

test('the demo folder is created with its parents', async () => {
  const folder = join(folderWith(), 'a', 'b');
  const made = await prepareDemoFolder(folder);
  expect(made).toEqual({
    folder,
    models: join(folder, 'models'),
    pictures: join(folder, 'pictures'),
  });
  expect(existsSync(made.pictures)).toBe(true);
});

test.runIf(process.platform === 'linux')(
  'a demo folder that cannot be created causes an error that contains the path',
  async () => {
    const refused = prepareDemoFolder('/proc/renderline/demo');
    await expect(refused).rejects.toMatchObject({ code: 'ENOENT', path: '/proc/renderline' });
  },
);

test('a second demo deletes the pictures of the first one', async () => {
  const folder = folderWith();
  const first = await prepareDemoFolder(folder);
  writeFileSync(join(first.pictures, 'old.png'), 'x');
  const second = await prepareDemoFolder(folder);
  expect(readdirSync(second.pictures)).toEqual([]);
});

test('a folder with other files is refused and left unchanged', async () => {
  const folder = folderWith({ 'pictures/holiday.jpg': 'x' });
  await expect(prepareDemoFolder(folder)).rejects.toMatchObject({ code: 'FOLDER_IN_USE', exit: 2 });
  expect(readdirSync(join(folder, 'pictures'))).toEqual(['holiday.jpg']);
});
