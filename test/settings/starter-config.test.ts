// The settings file that `init` writes and the table of settings contain every setting.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseDocument } from 'yaml';
import { starterConfig } from '../../src/app/init/starter-config.ts';
import { ConfigFile } from '../../src/settings/config-file.ts';

const settings = Object.keys(ConfigFile.shape);
const uncommented = starterConfig.replace(/^# (?=[a-zA-Z]+:( |$)|  )/gm, '');

describe('the settings', () => {
  test('all settings are in the file that init writes, with valid examples', () => {
    const found = ConfigFile.parse(parseDocument(uncommented).toJS());
    expect(Object.keys(found).toSorted()).toEqual(settings.toSorted());
  });

  test.each(settings)('the setting %s is in the table of docs/commands.md', (name) => {
    const page = readFileSync(new URL('../../docs/commands.md', import.meta.url), 'utf8');
    expect(page).toMatch(new RegExp(`^\\|.*\\| \`${name}\` \\|`, 'm'));
  });
});
