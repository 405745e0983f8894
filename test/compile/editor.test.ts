// What an editor shows: the schema as the YAML language server reads it.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { configSchemaOf, createPipelineSchema, formatSchema } from '../../src/compile/schema.ts';
import { nodeTypes } from '../../src/features/index.ts';
import { folderWith } from '../cli/_folder.ts';
import { run } from '../cli/_run-cli.ts';
import { YamlLanguageServer } from './_yaml-language-server.ts';

let server: YamlLanguageServer;
beforeAll(async () => {
  server = await YamlLanguageServer.start();
});
afterAll(() => server.stop());

const pipelines = fileURLToPath(new URL('../../pipelines/', import.meta.url));
const shipped = readdirSync(pipelines).filter((name) => /^[\w-]+\.yaml$/.test(name));

/** A file with these lines below a first line that names its schema. `^` marks the cursor. */
function edited(...lines: string[]) {
  const text = ['# yaml-language-server: $schema=s.json', 'name: trial', ...lines].join('\n');
  const before = text.split('^', 1)[0] ?? '';
  const path = join(
    folderWith({ 's.json': formatSchema(createPipelineSchema()), 'a.yaml': text.replace('^', '') }),
    'a.yaml',
  );
  const line = before.split('\n').length - 1;
  return { path, place: { line, character: before.length - before.lastIndexOf('\n') - 1 } };
}

/** Lines of a file with one node, and the cursor in it. */
const inNode = (...lines: string[]) => ['nodes:', '  - id: one', ...lines];

describe('completion', () => {
  async function offered(lines: string[]): Promise<string[]> {
    const { path, place } = edited(...lines);
    await server.open(path);
    return server.complete(path, place);
  }

  it('completion offers every node type', async () => {
    const types = nodeTypes.map(({ type }) => type);
    expect(await offered(inNode('    type: ^'))).toEqual(types);
  });

  it.each<[string, string[], string[]]>([
    // `render_complete` starts with the same name, and has other fields.
    ['render', [], ['settings', 'wait', 'select']],
    ['render', ['      settings: {}'], ['wait', 'select']],
    ['export', [], ['connector', 'naming']],
    ['connector_poll', [], ['connector', 'include', 'exclude', 'stableFor']],
  ])('completion in the config of %s after %j offers %j', async (type, written, expected) => {
    const lines = inNode(`    type: ${type}`, '    config:', ...written, '      ^');
    const labels = await offered(lines);
    expect(labels).toEqual(expect.arrayContaining(expected));
    const ofType = nodeTypes.filter((one) => one.type === type).map(configSchemaOf);
    const known = { ...ofType[0]?.properties };
    // `object` offers all required fields together.
    const others = labels.filter((label) => !Object.hasOwn(known, label) && label !== 'object');
    expect(others).toEqual([]);
  });

  it('completion offers the types of connectors, and the fields of each', async () => {
    const types = await offered(['connectors:', '  here:', '    type: ^']);
    expect(types).toEqual(expect.arrayContaining(['local', 's3', 'sftp']));
    const fields = await offered(['connectors:', '  here:', '    type: s3', '    ^']);
    expect(fields).toEqual(expect.arrayContaining(['bucket', 'region']));
  });
});

test.each<[string, string[], string]>([
  ['a field of a file', ['batch^Size: 5'], 'Maximum number of assets in one API call.'],
  [
    'a field of a node',
    inNode('    type: render', '    time^out: 5m'),
    'Maximum time that one asset',
  ],
  [
    'a field inside a config',
    inNode('    type: render', '    config:', '      settings:', '        image^Quality: 1'),
    '0=720p, 1=1080p (default), 2=4K',
  ],
  [
    'a field whose value is a parameter',
    inNode('    type: render', '    config:', '      w^ait: "${{ params.wait }}"'),
    'false lets the asset continue immediately',
  ],
  ['a node type', inNode('    ty^pe: render'), 'Submit each asset'],
])('hovering over %s describes its purpose', async (_, lines, expected) => {
  const { path, place } = edited(...lines);
  await server.open(path);
  const said = await server.hover(path, place);
  expect(said).toContain(expected);
  // Neither the title of the whole schema nor the descriptions of alternatives are shown.
  expect(said).not.toMatch(/^#|\|\|/);
});

describe('problems', () => {
  it.each(shipped)(
    'the file %s has no problems, and is checked with the schema that it names',
    async (name) => {
      const path = join(pipelines, name);
      expect(await server.open(path)).toEqual([]);
      // Without a schema, no problem would be reported.
      const lines = readFileSync(path, 'utf8').split('\n');
      const line = lines.findIndex((text) => text.startsWith('nodes:'));
      expect(await server.hover(path, { line, character: 2 })).toContain('Steps for each asset');
    },
  );

  it.each<[string, string[]]>([
    ['a batch that is too large', ['batchSize: ^500']],
    ['an unknown field', ['^batchsize: 5']],
    ['an unknown node type', inNode('    type: ^rendr', '    parentIds: [a]')],
    [
      'a field of another type',
      inNode('    type: render', '    parentIds: [a]', '    config:', '      ^connector: here'),
    ],
    [
      'a value out of its range',
      inNode(
        '    type: render',
        '    parentIds: [a]',
        '    config:',
        '      settings: { imageQuality: ^7 }',
      ),
    ],
  ])('%s is the only problem, reported at its position', async (_, lines) => {
    const nodes = lines.includes('nodes:')
      ? []
      : ['nodes: [{ id: a, type: render, parentIds: [b] }]'];
    const { path, place } = edited(...lines, ...nodes);
    const found = await server.open(path);
    expect(found.map(({ range }) => range.start)).toEqual([place]);
  });
});

test('the file written by `init` is checked without other installed files', async () => {
  const cwd = folderWith();
  await run(['init', '.'], { cwd });
  const path = join(cwd, 'catalog.yaml');
  expect(await server.open(path)).toEqual([]);
  writeFileSync(
    join(cwd, 'other.yaml'),
    '# yaml-language-server: $schema=renderline.schema.json\nnmae: x\nname: y\nnodes: [{ id: a, type: render, parentIds: [b] }]\n',
  );
  const found = await server.open(join(cwd, 'other.yaml'));
  expect(found.map(({ range }) => range.start.line)).toEqual([1]);
});
