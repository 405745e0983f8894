// Files that would cost the parser too much time or memory: each is refused at a position, within seconds even on a slow machine.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileFile } from '../../src/compile/compile.ts';
import { loadText } from '../../src/compile/yaml/load.ts';
import { compile, placesOf, withNodes } from './_compile.ts';

/** The CPU time of this process only, so that other processes of a busy machine do not count. */
const withinMs = 3_000;
const ownMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

const names = 'abcdefgh'.split('');
const bomb = names
  .map(
    (name, at) =>
      `${name}: &${name} [${Array(9)
        .fill(at === 0 ? 'x' : `*${names[at - 1]}`)
        .join(',')}]`,
  )
  .join('\n');

const corpus: { name: string; text: string; places: string[] }[] = [
  { name: 'empty text', text: '', places: ['1:1 RL109'] },
  { name: 'only a comment', text: '# later\n', places: ['1:1 RL109'] },
  { name: '100,000 opening brackets', text: '['.repeat(100_000), places: ['1:65 RL104'] },
  { name: '100,000 opening braces', text: '{'.repeat(100_000), places: ['1:65 RL104'] },
  { name: '100,000 dashes', text: '- '.repeat(100_000), places: ['1:129 RL104'] },
  {
    name: 'a staircase of mappings',
    text: Array.from({ length: 100 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n'),
    places: ['65:65 RL104'],
  },
  // The parser also nests text that is not YAML, and its stack overflows.
  {
    name: '3,000 keys one after another',
    text: 'a: '.repeat(3_000),
    places: ['1:194 RL104'],
  },
  {
    name: '3,000 keys in a brace',
    text: `{ ? ${'a: '.repeat(3_000)}]`,
    places: ['1:195 RL104'],
  },
  {
    name: '3,000 keys on lines of a bracket',
    text: `[${'a:\n'.repeat(3_000)}]`,
    places: ['65:2 RL104'],
  },
  {
    name: '40 keys on each of 40 lines, each further indented',
    text: Array.from({ length: 40 }, (_, at) => `${' '.repeat(120 * at)}${'a: '.repeat(40)}`).join(
      '\n',
    ),
    places: ['2:194 RL104'],
  },
  { name: '60,000 values', text: `a: [${'1,'.repeat(60_000)}]`, places: ['1:33334 RL105'] },
  {
    name: 'a string of 500,000 braces',
    text: `name: "${'{'.repeat(500_000)}"`,
    places: ['1:7 RL105'],
  },
  {
    name: 'a key of 20,000 characters',
    text: `? ${'k'.repeat(20_000)}\n: 1`,
    places: ['1:3 RL105'],
  },
  {
    name: 'many values below long keys',
    text: `${Array.from({ length: 20 }, (_, depth) => `${' '.repeat(depth)}${'k'.repeat(1_000)}:\n`).join('')}${' '.repeat(20)}[${'1,'.repeat(2_000)}]`,
    places: ['21:500 RL105'],
  },
  {
    name: 'parameters that multiply a string',
    text: `parameters: { a: { type: string, default: ${'x'.repeat(9_999)} } }\nname: "\${{ params.a }}"\nrecords: "\${{ params.a }}\${{ params.a }}"`,
    places: ['3:10 RL105'],
  },
  {
    name: 'parameters that multiply the file',
    text: `parameters: { a: { type: string, default: ${'x'.repeat(9_999)} } }\ntexts:\n${'  - "${{ params.a }}."\n'.repeat(200)}`,
    places: ['107:5 RL105'],
  },
  { name: 'a tag', text: 'name: !!js/function "x"', places: ['1:21 RL103'] },
  { name: 'a custom tag', text: 'name: !secret x', places: ['1:15 RL103'] },
  { name: 'the same key twice', text: 'name: a\nname: b', places: ['2:1 RL102'] },
  { name: 'a merge key', text: 'a: &a { b: 1 }\nc: { <<: *a }', places: ['2:6 RL107'] },
  { name: 'two documents', text: 'name: a\n---\nname: b', places: ['2:1 RL108'] },
  { name: 'a tab as indentation', text: 'a:\n\tb: 1', places: ['2:1 RL101'] },
  { name: 'an unknown anchor', text: 'name: *nobody', places: ['1:7 RL106'] },
  { name: 'an anchor that contains itself', text: 'name: &a [*a]', places: ['1:11 RL106'] },
  {
    name: 'a whole number of 20 digits',
    text: 'name: 12345678901234567890',
    places: ['1:7 RL112'],
  },
  { name: 'a mapping as a key', text: '{ { a: b }: c }', places: ['1:3 RL110'] },
  { name: 'another version of YAML', text: '%YAML 1.1\n---\nname: a', places: ['1:1 RL111'] },
  {
    name: 'many schedules that exclude every day many times',
    text: [
      'schedule:',
      `  - { name: s0, cron: "0 0 * * *", except: &days [${Array(500).fill('2000-01-01..2100-12-31').join(', ')}] }`,
      ...Array.from({ length: 49 }, (_, at) => {
        return `  - { name: s${at + 1}, cron: "0 0 * * *", except: *days }`;
      }),
    ].join('\n'),
    places: ['2:36 RL708', '51:37 RL708'],
  },
];

describe('hostile text', () => {
  it.each(corpus)('each problem is reported at its position: $name', ({ text, places }) => {
    const startMs = ownMs();
    const found = placesOf(text);
    expect(ownMs() - startMs).toBeLessThan(withinMs);
    for (const place of places) expect(found).toContain(place);
  });

  it('an alias bomb is refused at an alias', () => {
    const startMs = ownMs();
    const found = placesOf(bomb);
    expect(ownMs() - startMs).toBeLessThan(withinMs);
    expect(found.some((place) => place.endsWith(' RL106'))).toBe(true);
  });

  it('a long line with little nesting is accepted', () => {
    const rules = Array.from({ length: 100 }, (_, at) => `{ glob: "a${at}", template: T }`);
    const config = `config: { rules: [${rules.join(', ')}] }`;
    const node = `{ id: look, type: template_match, parentIds: [take], ${config} }`;
    expect(placesOf(withNodes(node))).toEqual([]);
  });

  it('at most 200 errors are reported', () => {
    const text = Array.from({ length: 5000 }, (_, at) => `f${at}: 1`).join('\n');
    expect(compile(text).problems).toHaveLength(200);
  });

  it('many notes do not hide an error', () => {
    const rules = Array.from({ length: 500 }, (_, at) => `{ glob: "a", template: T${at} }`);
    const config = `config: { rules: [${rules.join(', ')}] }`;
    const look = `{ id: look, type: template_match, parentIds: [take], ${config} }`;
    expect(placesOf(withNodes(look, '{ id: e, type: model_redy, parentIds: [take] }'))).toEqual([
      '9:20 RL301',
    ]);
  });

  it('a field `__proto__` does not change prototypes', () => {
    const { problems } = compile(`${withNodes()}\n__proto__: { polluted: true }`);
    expect(problems.some(({ message }) => message.includes('__proto__'))).toBe(true);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('text that starts with a byte order mark has the same columns', () => {
    expect(placesOf('\uFEFFnam: a')).toContain('1:1 RL201');
  });

  it('text with Windows line endings has the same lines', () => {
    const text = `${withNodes()}\nbatchSize: 101`.replaceAll('\n', '\r\n');
    expect(placesOf(text)).toEqual(['8:12 RL204']);
  });
});

describe('many nodes', () => {
  it('more than a hundred nodes are refused for their number, quickly', () => {
    const nodes = Array.from(
      { length: 1400 },
      (_, at) => `{ id: n${at}, type: render, parentIds: [${at === 0 ? 'take' : `n${at - 1}`}] }`,
    );
    const startMs = ownMs();
    expect(placesOf(withNodes(...nodes))).toEqual(['7:3 RL204']);
    expect(ownMs() - startMs).toBeLessThan(withinMs);
  });

  it('a hundred nodes with one condition each are checked in time', () => {
    const nodes = Array.from({ length: 98 }, (_, at) => {
      const when = `when: "asset.bytes > ${at} && asset.key == 'a'"`;
      return `{ id: n${at}, type: template_match, parentIds: [ready], ${when}, config: { default: T } }`;
    });
    const startMs = ownMs();
    const ready = '{ id: ready, type: model_ready, parentIds: [take] }';
    expect(placesOf(withNodes(ready, ...nodes))).toEqual([]);
    expect(ownMs() - startMs).toBeLessThan(withinMs);
  });
});

describe('a ladder of joins', () => {
  it('a ladder of joins is checked and compiled in time, although it has 2^40 paths', () => {
    const rungs = Array.from({ length: 40 }, (_, at) => {
      const parents = at === 0 ? 'take' : `a${at - 1}, b${at - 1}`;
      return [`a${at}`, `b${at}`].map(
        (id) => `{ id: ${id}, type: model_ready, parentIds: [${parents}] }`,
      );
    }).flat();
    const startMs = ownMs();
    const { ok, plan } = compile(withNodes(...rungs), {});
    expect(ownMs() - startMs).toBeLessThan(withinMs);
    expect(ok).toBe(true);
    expect(plan?.steps).toHaveLength(81);
  });
});

describe('hostile files', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'renderline-compile-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const check = async (path: string) => {
    const startMs = ownMs();
    const { plan, problems, source } = await compileFile(path, {
      cwd: folder,
      environment: {},
      parameters: {},
    });
    expect(ownMs() - startMs).toBeLessThan(withinMs);
    expect(plan).toBeNull();
    return { source, found: problems.map(({ line, col, code }) => `${line}:${col} ${code}`) };
  };

  it.each([
    { name: 'ten megabytes', bytes: Buffer.alloc(10 * 1024 * 1024, 'a: b\n'), code: 'RL105' },
    { name: 'UTF-16', bytes: Buffer.from('\uFEFFname: a', 'utf16le'), code: 'RL100' },
    {
      name: 'bytes that are not UTF-8',
      bytes: Buffer.from([0x61, 0xff, 0xfe, 0x61]),
      code: 'RL100',
    },
  ])('a file of $name is refused', async ({ bytes, code }) => {
    await writeFile(join(folder, 'p.yaml'), bytes);
    expect(await check('p.yaml')).toEqual({ source: null, found: [`1:1 ${code}`] });
  });

  it('a missing file is refused', async () => {
    expect(await check('none.yaml')).toEqual({ source: null, found: ['1:1 RL100'] });
  });

  it('a folder is refused', async () => {
    expect(await check('.')).toEqual({ source: null, found: ['1:1 RL100'] });
  });
});

describe('any text', () => {
  // biome-ignore format: a list of words
  const snippets = [
    'name: a', 'nodes:', '  - id: a', '    type: render', 'parentIds: [a]', '${{ params.a }}',
    '{', '}', '[', ']', '&a', '*a', '!!x', '- ', ': ', '\t', '"', "'", '|', '\n', '\n  ', '? ',
  ];

  it('any text is compiled without an exception, and problems have positions inside the text', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...snippets), { maxLength: 40 }), (parts) => {
        const text = parts.join('');
        const lines = text.split(/\r\n|\n|\r/).length;
        for (const { line, col } of compile(text, {}).problems) {
          expect(line).toBeGreaterThanOrEqual(1);
          expect(line).toBeLessThanOrEqual(lines);
          expect(col).toBeGreaterThanOrEqual(1);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('any text is parsed into a document or causes an error', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        const { document, findings } = loadText(text, 'p.yaml');
        expect(document !== null || findings.errorCount > 0).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
