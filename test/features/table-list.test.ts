// A table as the work list (`list:` of connector_poll). Each row is an asset, and a column names its file.
import { describe, expect, it } from 'vitest';
import { hasAnyAsset } from '../../src/app/plan/preview-assets.ts';
import { RerunSelection } from '../../src/store/discovery/rerun-selection.ts';
import { listUnfinished } from '../../src/store/discovery/unfinished-assets.ts';
import { collect } from '../connectors/_temp-folder.ts';
import { filesOf, refusalsOf, tableFolder } from './_table-folder.ts';

describe('rows as assets', () => {
  it("each row is an asset with the row's key and values, even if several rows name one file", async () => {
    const { preview } = tableFolder(
      ['A,sofas/sofa.glb,Oak', 'B,sofas/sofa.glb,White', 'C,chair.glb,Red'],
      ['sofas/sofa.glb', 'chair.glb', 'stool.glb', 'desk.glb', 'notes.txt'],
    );
    const found = await preview();
    expect(filesOf(found)).toEqual({ A: 'sofas/sofa.glb', B: 'sofas/sofa.glb', C: 'chair.glb' });
    expect(found.assets.map(({ source }) => source.row?.values)).toEqual([
      { colour: 'Red' },
      { colour: 'Oak' },
      { colour: 'White' },
    ]);
    expect(found.refused).toEqual([]);
    expect(found.counts).toEqual({ total: 3, new: 3, changed: 0, unchanged: 0 });
    expect(found.warnings).toEqual([
      {
        key: 'take',
        message:
          'table products (products.csv in memory): 2 files are not named in any row: stool.glb, desk.glb',
      },
    ]);
  });

  it('each row is an asset, and only the files that rows name are read', async () => {
    const { preview, bucket, connector } = tableFolder(['A,a.glb,'], ['a.glb', 'b.glb']);
    const asked: string[] = [];
    const list = connector.list.bind(connector);
    connector.list = async function* (prefix, options) {
      for await (const entry of list(prefix, options)) {
        asked.push(entry.path);
        yield entry;
      }
    };
    await preview();
    expect(asked.filter((path) => path.endsWith('.glb'))).toEqual(['a.glb']);
    expect(bucket.files.size).toBe(3);
  });
});

describe('a cell that names a file', () => {
  const nfd = 'cafe\u0301.glb';
  it.each<[what: string, cell: string, files: string[], expected: string]>([
    ['as it is', 'a/b.glb', ['a/b.glb'], 'a/b.glb'],
    ['the way Windows writes paths', 'a\\b.glb', ['a/b.glb'], 'a/b.glb'],
    ['with a leading dot', './a/b.glb', ['a/b.glb'], 'a/b.glb'],
    ['with surrounding spaces', '" a b.glb "', ['a b.glb'], 'a b.glb'],
    ['in another case', 'A/B.GLB', ['a/b.glb'], 'a/b.glb'],
    ['in its exact case, next to a file in another case', 'a.GLB', ['a.glb', 'a.GLB'], 'a.GLB'],
    ['with accents in another Unicode form', 'caf\u00e9.glb', [nfd], nfd],
  ])('a cell written %s finds its file', async (_, cell, files, expected) => {
    expect(filesOf(await tableFolder([`A,${cell},`], files).preview())).toEqual({ A: expected });
  });

  it.each<[what: string, cell: string, expected: RegExp]>([
    [
      'whose file is missing',
      'b.glb',
      /^A ROW_FILE_MISSING: column "File": "b.glb" is not in memory$/,
    ],
    [
      'with a path above the folder',
      '../a.glb',
      /^A ROW_INVALID: .*"\.\.\/a\.glb" is not a valid path: it contains "\.\."$/,
    ],
    ['with an absolute path', '/models/a.glb', /^A ROW_INVALID: .* it is absolute$/],
    [
      'with a path on a drive',
      'C:\\models\\a.glb',
      /^A ROW_INVALID: .* it contains a drive letter$/,
    ],
    ['with a path on a network share', '\\\\nas\\a.glb', /^A ROW_INVALID: .* it is absolute$/],
    [
      'with a file that is not a model',
      'products.csv',
      /^A ROW_INVALID: .* is not selected by `include` and `exclude`$/,
    ],
    ['without an extension', 'a', /^A ROW_INVALID: .* is not selected by `include` and `exclude`$/],
    ['that matches two files', 'c.glb', /^A ROW_AMBIGUOUS: .* differ only in case$/],
  ])(
    'a cell %s fails only its own row, and the message states the line',
    async (_, cell, expected) => {
      const files = ['a.glb', 'C.glb', 'C.GLB', 'd.glb'];
      const { preview } = tableFolder([`A,${cell},`, 'D,d.glb,'], files);
      const found = await preview();
      expect(refusalsOf(found)).toEqual([expect.stringMatching(expected)]);
      expect(found.refused[0]?.message).toContain('products.csv in memory), line 2, ');
      expect(filesOf(found)).toEqual({ D: 'd.glb' });
      expect(found.counts.total).toBe(2);
    },
  );

  it('rows with a file but without a key are refused by file, and notes are left out', async () => {
    const lines = [',b.glb,Red', 'A,a.glb,', ',c.glb,', ',,a note', ',b.glb,Blue'];
    const found = await tableFolder(lines, ['a.glb', 'b.glb', 'c.glb']).preview();
    expect(filesOf(found)).toEqual({ A: 'a.glb' });
    const problem = 'ROW_INVALID: column "File": the row has no key: column "SKU" is empty';
    expect(refusalsOf(found)).toEqual([`b.glb ${problem}`, `c.glb ${problem}`]);
    expect(found.refused.map(({ message }) => message)).toEqual([
      expect.stringContaining(', lines 2, 6, '),
      expect.stringContaining(', line 4, '),
    ]);
    expect(found.counts).toMatchObject({ total: 3, new: 1 });
  });

  it('an empty cell excludes the row, and the plan counts such rows', async () => {
    const found = await tableFolder(['A,a.glb,', 'B,,Red', 'C, ,'], ['a.glb']).preview();
    expect(filesOf(found)).toEqual({ A: 'a.glb' });
    expect(found.refused).toEqual([]);
    expect(found.warnings).toMatchObject([
      { message: expect.stringMatching(/: 2 rows belong to no asset: lines 3, 4$/) as string },
    ]);
  });
});

describe('rows with the same key', () => {
  it.each<[what: string, lines: string[], expected: RegExp | null]>([
    ['are one asset if they are equal', ['A,a.glb,Red', 'A,.\\a.glb,Red'], null],
    [
      'are refused if they name two files',
      ['A,a.glb,Red', 'X,,', 'A,b.glb,Red'],
      /^A ROW_AMBIGUOUS: .*"A" has 2 different files: a\.glb, b\.glb$/,
    ],
    [
      'are refused if they differ in a column that is used',
      ['A,a.glb,Red', 'A,a.glb,Blue'],
      /^A ROW_AMBIGUOUS: .*different values of "Colour": lines 2, 3$/,
    ],
    ['are refused if the keys differ only in case', ['A,a.glb,', 'a,b.glb,'], /^A KEY_CLASH: /],
  ])('rows with the same key %s', async (_, lines, expected) => {
    const found = await tableFolder(lines, ['a.glb', 'b.glb']).preview();
    if (expected === null) expect(filesOf(found)).toEqual({ A: 'a.glb' });
    else expect(refusalsOf(found)[0]).toMatch(expected);
  });
});

describe('a table as the work list', () => {
  it('a table without rows produces no assets', async () => {
    const found = await tableFolder([], ['a.glb']).preview();
    expect(found.counts.total).toBe(0);
    expect(found.warnings).toMatchObject([
      { message: expect.stringContaining('1 file is not named in any row: a.glb') as string },
    ]);
  });

  it('a table without the column is refused with the most similar heading', async () => {
    const { writeTable, preview } = tableFolder([], []);
    writeTable([], 'SKU,Files,Colour');
    await expect(preview()).rejects.toThrow(/has no column "File"; did you mean "Files"/);
  });
});

it('a formula error in the file column stops the run instead of withdrawing the product', async () => {
  const { writeTable, preview } = tableFolder(['A1,a.glb,red'], ['a.glb']);
  writeTable(['A1,#REF!,red']);
  await expect(preview()).rejects.toThrow(
    /line 2, column "File": contains a formula with the error #REF!/,
  );
});

describe('rows of models and colorways', () => {
  const swap = '[{ matchText: seat, matchMode: exact, material: Oak }]';
  const grid = `{ id: grid, type: variant, parentIds: [ready], config: { colorways: [{ name: Oak, swapRules: ${swap} }, { name: White, swapRules: ${swap} }] } }`;
  const key = '{ model: SKU, colorway: Colour }';

  it('the rows are cells of one model, each with its own row data', async () => {
    const lines = ['A,a.glb,Oak', 'A,a.glb,White', 'B,a.glb,Oak', 'B,,White'];
    const found = await tableFolder(lines, ['a.glb'], { key, nodes: [grid] }).preview();
    const rows = found.assets.map((asset) => [asset.key, asset.source.row?.values['colour']]);
    expect(rows).toEqual([
      ['A@Oak', 'Oak'],
      ['A@White', 'White'],
      ['B@Oak', 'Oak'],
      ['B@White', 'White'],
    ]);
    expect(found.refused).toEqual([]);
  });

  it('the rows may be in the colorway table, which is then the work list', async () => {
    const columns = 'columns: { model: SKU, colorway: Colour }';
    const ofTable = `{ id: grid, type: variant, parentIds: [ready], config: { colorways: { table: { connector: models, path: products.csv, ${columns} } } } }`;
    const { writeTable, preview } = tableFolder([], ['a.glb'], { key, nodes: [ofTable] });
    const lines = ['Oak,seat,Oak', 'Oak,legs,Birch', 'White,seat,White'];
    writeTable(
      [...lines.map((line) => `A,a.glb,${line}`), 'B,a.glb,Oak,seat,Oak'],
      'SKU,File,Colour,slot,material',
    );
    const found = await preview();
    expect(found.assets.map((asset) => asset.key)).toEqual(['A@Oak', 'A@White', 'B@Oak']);
    expect([...found.refused, ...found.warnings]).toEqual([]);
  });

  it('the rows are refused if they name two files for one model', async () => {
    const lines = ['A,a.glb,Oak', 'A,b.glb,White'];
    const found = await tableFolder(lines, ['a.glb', 'b.glb'], { key, nodes: [grid] }).preview();
    expect(refusalsOf(found)).toEqual([
      expect.stringMatching(/^A ROW_AMBIGUOUS: .* has 2 different files/),
    ]);
    expect(found.assets).toEqual([]);
  });
});

it('a run starts even if none of the files exists, so that its rows report the missing files', async () => {
  expect(await hasAnyAsset(tableFolder(['A,a.glb,'], []).plan)).toBe(true);
});

describe('a run over a table', () => {
  const lines = ['E,b.glb,', 'D,a.glb,', 'C,a.glb,', 'B,gone.glb,', 'A,a.glb,'];
  const files = ['a.glb', 'b.glb'];

  it('a run lists the rows in pages and in table order, but the files only once', async () => {
    const { run, connector } = tableFolder(lines, files);
    let lists = 0;
    const list = connector.list.bind(connector);
    connector.list = (prefix, options) => {
      if (!prefix && options?.after === undefined) lists += 1;
      return list(prefix, options);
    };
    const { keys, discoveryPages, discovery } = await run('first');
    expect(keys).toEqual(['D', 'E', 'C', 'A']);
    expect(discoveryPages).toBe(3);
    expect(discovery).toMatchObject({ total: 5, new: 4, refused: 1 });
    expect(lists).toBe(1);
  });

  it('a run has no discovery page for rows that name no file', async () => {
    const { run } = tableFolder(
      lines.flatMap((line, at) => [`NOT-YET-${at},,`, line, `LATER-${at},,`]),
      files,
    );
    const { keys, discoveryPages, discovery } = await run('first');
    expect(keys).toEqual(['D', 'E', 'C', 'A']);
    expect(discoveryPages).toBe(3);
    expect(discovery).toMatchObject({ total: 5, new: 4, refused: 1 });
  });

  it('the next run takes only new and changed rows', async () => {
    const { run, writeTable, put, preview } = tableFolder(lines, files);
    await run('first');
    expect((await preview()).counts).toMatchObject({ total: 5, new: 0, changed: 0, unchanged: 4 });
    writeTable([...lines.toReversed(), 'F,a.glb,'].map((line) => line.replace('E,b', 'E,a')));
    put('gone.glb', 'there again');
    const { assets } = await preview();
    const reasons = Object.fromEntries(assets.map(({ key, reason }) => [key, reason]));
    expect(reasons).toEqual({ B: 'new', E: 'changed', F: 'new' });
  });

  it('a row is not repeated if its file is renamed together with its cell', async () => {
    const { run, writeTable, put, bucket, preview } = tableFolder(lines, files);
    await run('first');
    bucket.files.delete('b.glb');
    put('moved/b.glb', 'b.glb');
    writeTable(lines.map((line) => line.replace('E,b', 'E,moved/b')));
    expect((await preview()).counts).toMatchObject({ total: 5, new: 0, changed: 0, unchanged: 4 });
  });

  it('a run takes the rows that match --only, by key or by file', async () => {
    const { preview } = tableFolder(lines, files);
    expect(filesOf(await preview(['C']))).toEqual({ C: 'a.glb' });
    expect(Object.keys(filesOf(await preview(['a.glb'])))).toEqual(['A', 'C', 'D']);
    expect((await preview(['B'])).refused).toMatchObject([{ key: 'B', code: 'ROW_FILE_MISSING' }]);
  });

  it('a rerun takes the rows that the run did not deliver', async () => {
    const { run, storeOf, preview, put } = tableFolder(lines, files);
    await run('first', ['C']);
    const unfinished = await collect(listUnfinished(storeOf('first'), { isRunClosed: true }));
    expect(unfinished.map(({ key, outcome }) => [key, outcome])).toEqual([
      ['B', 'refused'],
      ['C', 'failed'],
    ]);
    put('gone.glb', 'there again');
    const found = await preview(undefined, new RerunSelection('first', unfinished));
    expect(filesOf(found)).toEqual({ B: 'gone.glb', C: 'a.glb' });
    expect(found.refused).toEqual([]);
  });
});

describe('withdrawing a product that comes from a table', () => {
  it.each<[what: string, lines: string[], files: string[], gone: string[]]>([
    [
      'a product is withdrawn if its row is gone, even if its file still exists',
      ['A,a.glb,', 'C,b.glb,'],
      ['a.glb', 'b.glb'],
      ['B'],
    ],
    [
      'a product is not withdrawn if its file is gone',
      ['A,a.glb,', 'B,a.glb,', 'C,b.glb,'],
      ['a.glb'],
      [],
    ],
    [
      'products are not withdrawn if the keys of their rows are deleted',
      ['A,a.glb,', ',A.glb,', ',b.glb,'],
      ['a.glb', 'b.glb'],
      [],
    ],
    [
      'a product is not withdrawn if its key changes in case and its file is gone',
      ['A,a.glb,', 'B,a.glb,', 'c,b.glb,'],
      ['a.glb'],
      [],
    ],
    ['a product is not withdrawn if all rows are gone', [], ['a.glb', 'b.glb'], []],
  ])('%s', async (_, lines, files, gone) => {
    const all = ['A,a.glb,', 'B,a.glb,', 'C,b.glb,'];
    const folder = tableFolder(all, ['a.glb', 'b.glb'], { exporting: ', withdrawn: archive' });
    await folder.run('first');
    folder.writeTable(lines);
    for (const path of ['a.glb', 'b.glb'])
      if (!files.includes(path)) folder.bucket.files.delete(path);
    const found = await folder.preview();
    expect(found.missingSources.records.map(({ record }) => record.key)).toEqual(gone);
  });
});
