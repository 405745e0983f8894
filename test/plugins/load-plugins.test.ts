// Which users may name code in the configuration. Features of plugins: test/extended/plugins.test.ts.
import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadPlugins } from '../../src/plugins/load-plugins.ts';
import { folderWith } from '../cli/_folder.ts';

const refused = (names: string[], file: string) =>
  expect(loadPlugins(names, file)).rejects.toMatchObject({ name: 'ConfigError' });

test.each([
  ['renderline.yaml', 0o666],
  ['own.js', 0o666],
  ['.', 0o777],
])('a plugin is not loaded if all users can write %s', async (open, mode) => {
  const folder = folderWith({ 'renderline.yaml': '', 'own.js': '' });
  const file = join(folder, 'renderline.yaml');
  chmodSync(join(folder, open), mode);
  await expect(loadPlugins(['./own.js'], file)).rejects.toThrow(/can be written by all users/);
  await expect(loadPlugins([], file)).resolves.toBeUndefined();
});

test.each(['../own.js', './linked.js', '/etc/hostname', './none.js', 'no-such-package'])(
  'a plugin that is missing or outside the folder is refused: %s',
  async (name) => {
    const place = folderWith({ 'own.js': '', 'project/renderline.yaml': '' });
    const project = join(place, 'project');
    mkdirSync(join(project, 'deep'));
    symlinkSync(join(place, 'own.js'), join(project, 'linked.js'));
    await refused([name], join(project, 'renderline.yaml'));
  },
);
