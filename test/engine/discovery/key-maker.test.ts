// The key that `key:` of the pipeline gives a source.
import { expect, it } from 'vitest';
import { createKeyMaker } from '../../../src/engine/discovery/key-maker.ts';

const source = {
  path: 'Side Tables/Oak Lamp.glb',
  bytes: 1,
  mtimeMs: 0,
  version: '1',
  row: { id: 'r1', values: { sku: 'tb-7' } },
};
const atRoot = { path: 'lamp.glb', bytes: 1, mtimeMs: 0, version: '1' };

it.each([
  ['{{ folder }}/{{ name }}', 'Side Tables/Oak Lamp'],
  ['{{ name | upper }}', 'OAK LAMP'],
  ['{{ folder | slug }}/{{ name | slug | replace("-", "_") }}', 'side-tables/oak_lamp'],
  ['{{ row.sku | upper }}.{{ ext }}', 'TB-7.glb'],
  ['{{ row.color }}{{ path }}', 'Side Tables/Oak Lamp.glb'],
  ['asset.name.lowerAscii()', 'oak lamp'],
])('the key expression %s returns %s', (key, expected) => {
  expect(createKeyMaker(key, {})(source)).toBe(expected);
});

it('a key does not start with a slash if the source is not in a folder', () => {
  expect(createKeyMaker('{{ folder }}/{{ name }}', {})(atRoot)).toBe('lamp');
});
