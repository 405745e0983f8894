// Shared parts that must not be read, and parts that are too large.
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { compileFile, compileText } from '../../src/compile/compile.ts';
import { folderWith } from '../cli/_folder.ts';
import { bare, compileIn, connectors, errorsOf } from './_shared.ts';

const including = (path: string) => bare.replace('all.shared.yaml', path);

describe('parts that cannot be included', () => {
  it.each<[what: string, path: string, error: string]>([
    ['an absolute path', '/etc/all.shared.yaml', 'RL204'],
    ['an address', 'https://example.com/all.shared.yaml', 'RL204'],
    ['a home folder', '~/all.shared.yaml', 'RL204'],
    ['a file that is not a shared part', 'renderline.yaml', 'RL204'],
    ['a path from a parameter', '"${{ params.part }}.shared.yaml"', 'RL306'],
    ['a missing file', 'none.shared.yaml', 'RL113'],
    ['a folder', 'folder.shared.yaml', 'RL113'],
    ['a file outside the folder', '../all.shared.yaml', 'RL113'],
    ['a link to a file outside', 'link.shared.yaml', 'RL113'],
    ['a file in a linked folder outside', 'linked/all.shared.yaml', 'RL113'],
    ['a link to a file that is not a shared part', 'inner.shared.yaml', 'RL113'],
    ['a link to itself', 'loop.shared.yaml', 'RL113'],
    ['bytes that are not UTF-8', 'bytes.shared.yaml', 'RL113'],
    ['a device', 'device.shared.yaml', 'RL113'],
    ['more text than a pipeline may have', 'huge.shared.yaml', 'RL113'],
  ])('an include of %s is refused', async (_, path, code) => {
    const folder = folderWith({
      'all.shared.yaml': connectors,
      'in/p.yaml': `parameters: { part: { type: string, default: all } }\n${including(path)}`,
      'in/settings.yaml': 'secret: 1',
      'in/folder.shared.yaml/a.yaml': '',
      'in/bytes.shared.yaml': Buffer.from([0x61, 0xff, 0xfe, 0x61]),
      'in/huge.shared.yaml': Buffer.alloc(2 * 1024 * 1024, 'a: b\n'),
    });
    const link = (to: string, name: string) => symlinkSync(to, join(folder, 'in', name));
    link('../all.shared.yaml', 'link.shared.yaml');
    link('..', 'linked');
    link('settings.yaml', 'inner.shared.yaml');
    link('loop.shared.yaml', 'loop.shared.yaml');
    link('/dev/zero', 'device.shared.yaml');
    const compiled = await compileFile('in/p.yaml', {
      cwd: folder,
      environment: {},
      parameters: {},
    });
    const [first] = errorsOf(compiled);
    expect(first).toMatch(new RegExp(`^in/p\\.yaml:3:\\d+ ${code}$`));
    expect(JSON.stringify(compiled.problems)).not.toContain('secret');
  });

  it('an include of a file outside the folders of a server is refused', async () => {
    const cwd = folderWith({
      '.git/HEAD': '',
      'all.shared.yaml': connectors,
      'in/p.yaml': including('../all.shared.yaml'),
    });
    const compileBelow = (folder: string) =>
      compileFile('in/p.yaml', { cwd, environment: {}, parameters: {}, folders: [folder] });
    expect(errorsOf(await compileBelow(join(cwd, 'in')))).toEqual(['in/p.yaml:2:10 RL113']);
    expect(errorsOf(await compileBelow(cwd))).toEqual([]);
  });

  it('an include of the same part twice is refused', async () => {
    const compiled = await compileIn({
      'p.yaml': including('[all.shared.yaml, all.shared.yaml]'),
      'all.shared.yaml': connectors,
    });
    expect(errorsOf(compiled)).toEqual(['p.yaml:2:28 RL113']);
  });

  it('a pipeline that is not a file cannot include any part', () => {
    const options = { cwd: '/', fileFolder: '/', environment: {}, parameters: null };
    expect(errorsOf(compileText(bare, 'p.yaml', options))).toEqual(['p.yaml:2:10 RL113']);
  });
});

describe('refused shared parts', () => {
  it('a large default that many nodes use is refused', async () => {
    const settings = Array.from({ length: 2_000 }, (_, index) => `k${index}: 1`).join(', ');
    const nodes = Array.from(
      { length: 99 },
      (_, index) => `  - { id: r${index}, type: render, parentIds: [take] }`,
    );
    const compiled = await compileIn({
      'p.yaml': [
        'name: test',
        'include: all.shared.yaml',
        'nodes:',
        '  - { id: take, type: connector_poll, config: { connector: models } }',
        ...nodes,
      ].join('\n'),
      'all.shared.yaml': `${connectors}\ndefaults: { render: { config: { settings: { ${settings} } } } }`,
    });
    expect(errorsOf(compiled)).toEqual(['all.shared.yaml:4:13 RL105']);
  });

  it('parts that are too large together are refused', async () => {
    const large = `description: x\n#${'x'.repeat(600_000)}`;
    const compiled = await compileIn({
      'p.yaml': including('[a.shared.yaml, b.shared.yaml]'),
      'a.shared.yaml': large,
      'b.shared.yaml': large,
    });
    expect(errorsOf(compiled)).toEqual(['p.yaml:2:26 RL105']);
  });

  it('a parameter name with special characters is refused, and `__proto__` is an ordinary name', async () => {
    const compiled = await compileIn({
      'p.yaml': bare,
      'all.shared.yaml': `${connectors}\n  __proto__: { type: local, path: x }\nparameters: { "a(": { type: string } }`,
    });
    expect(errorsOf(compiled)).toEqual(['all.shared.yaml:5:15 RL308']);
  });
});
