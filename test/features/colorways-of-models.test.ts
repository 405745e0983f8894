// Which colorways a list or a table assigns to models, and how rows without a model are reported.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LocalConnector } from '../../src/connectors/local.ts';
import { RunCauseError } from '../../src/engine/engine-errors.ts';
import { openPlanGrid } from '../../src/features/grid/dimensions.ts';
import { withTableLines } from '../../src/features/grid/table-lines.ts';
import type { SwapRule } from '../../src/features/slots/swap-rule.ts';
import { colorwayCauses } from '../../src/features/variants/failures.ts';
import type { ColorwaySpec } from '../../src/features/variants/grid/colorway-spec.ts';
import type { Position } from '../../src/plan/grid.ts';
import type { Json } from '../../src/plan/types.ts';
import { tempFolder } from '../connectors/_temp-folder.ts';
import { colorway, inCell, view } from '../plan/_cells.ts';
import { asset } from '../plan/_steps.ts';

const oak: SwapRule[] = [{ matchText: 'seat', matchMode: 'exact', material: 'Oak' }];

const grid = (spec: ColorwaySpec, rows = '', views?: { name: string; fingerprint: string }[]) =>
  gridOver(spec, `model,colorway,slot,material\n${rows}`, views);

async function gridOver(
  spec: ColorwaySpec,
  table: string | Uint8Array,
  views?: { name: string; fingerprint: string }[],
) {
  const path = await tempFolder();
  await writeFile(join(path, 'table.csv'), table);
  const made = await openPlanGrid(
    {
      grid: [
        { name: 'colorway', node: 'v', spec: JSON.parse(JSON.stringify(spec)) as Json },
        ...(views ? [{ name: 'view', node: 'shots', spec: views }] : []),
      ],
    },
    {
      parameters: { line: 'b' },
      getConnector: () => new LocalConnector({ type: 'local', path }),
    },
  );
  if (made === null) throw new Error('there is no grid');
  return made;
}

const ofTable = (rows: string) =>
  grid({ from: 'table', connector: 'here', path: 'table.csv', matchMode: 'exact' }, rows);
const source = (path: string) => ({ ...asset('x').source, path: `${path}.glb` });

describe('a list of colorways', () => {
  it('a list creates cells for the models that match `where`', async () => {
    const { cellsOf } = await grid({
      from: 'list',
      colorways: [
        { name: 'Oak', rules: oak, where: null },
        { name: 'Ash', rules: oak, where: 'asset.folder == params.line' },
      ],
    });
    const keys = (model: string) => cellsOf(model, source(model)).map(({ key }) => key);
    expect([keys('a/x'), keys('b/x')]).toEqual([['a/x@Oak'], ['b/x@Oak', 'b/x@Ash']]);
  });
});

describe('views of colorways', () => {
  it('views create one asset for each colorway and view', async () => {
    const views = [
      { name: 'front', fingerprint: '1' },
      { name: 'hero', fingerprint: '2' },
    ];
    const spec: ColorwaySpec = {
      from: 'list',
      colorways: [{ name: 'Oak', rules: oak, where: null }],
    };
    const { cellsOf, keysOf } = await grid(spec, '', views);
    const cells = cellsOf('x', source('x'));
    expect(cells.map(({ key }) => key)).toEqual(keysOf('x'));
    const cellOf = (...positions: Position[]) => inCell({}, 'x', ...positions).cell;
    expect(cells.map(({ key, source: { cell } }) => [key, cell])).toEqual([
      ['x@Oak@front', cellOf(colorway('Oak', oak), view('front', '1'))],
      ['x@Oak@hero', cellOf(colorway('Oak', oak), view('hero', '2'))],
    ]);
  });
});

describe('a table of colorways', () => {
  it('a model gets the table rows with its key or with a glob that matches the key', async () => {
    const { cellsOf, keysOf } = await ofTable(
      'a/x,Oak,seat,Oak\na/x,Oak,legs,id:m-1\na/*,Ash,seat,Ash\nb/y,Elm,seat,Elm\n',
    );
    const [first, second, ...others] = cellsOf('a/x', source('a/x'));
    expect(first).toMatchObject({
      key: 'a/x@Oak',
      source: inCell(
        {},
        'a/x',
        colorway('Oak', [
          { matchText: 'seat', matchMode: 'exact', material: 'Oak' },
          { matchText: 'legs', matchMode: 'exact', materialId: 'm-1' },
        ]),
      ),
    });
    expect([second?.key, others]).toEqual(['a/x@Ash', []]);
    expect([keysOf('a/z'), keysOf('c')]).toEqual([['a/z@Ash'], []]);
    expect(cellsOf('c', source('c'))).toEqual([]);
  });

  it('a table reports each name without a model once, with its line and the nearest name', async () => {
    const rows =
      'chiar,Oak,seat,Oak\nchiar,Ash,seat,Ash\nlamps/*,Oak,seat,Oak\nchair,Oak,seat,Oak\n';
    const { failuresOf } = await ofTable(rows);
    expect(failuresOf(['chair', 'stool'], 'take')).toEqual([
      {
        key: 'chiar',
        node: 'take',
        code: 'COLORWAY_UNKNOWN_MODEL',
        message: 'table.csv, line 2: "chiar": this model does not exist; did you mean "chair"?',
        attempts: 0,
      },
      expect.objectContaining({
        key: 'lamps/*',
        message: expect.stringContaining('no model matches this glob') as string,
      }),
    ]);
  });

  it('names that cannot be read as globs are compared literally', async () => {
    const { keysOf } = await ofTable('"chair [new","Oak",seat,Oak\n{1..9},Ash,seat,Oak\n');
    expect([keysOf('chair [new'), keysOf('{1..9}'), keysOf('1')]).toEqual([
      ['chair [new@Oak'],
      ['{1..9}@Ash'],
      [],
    ]);
  });

  it.each([
    [
      'two rows that contradict each other',
      'a/*,Oak,seat,Oak\na/x,Oak,seat,Ash\n',
      /lines 2 and 3 assign different/,
    ],
    [
      'two colorways of a model that differ only in case',
      'a/x,Oak,seat,Oak\na/*,oak,legs,Oak\n',
      /line 3: "oak" differs only in case from another colorway of the same model/,
    ],
    [
      'more globs than a table may hold',
      Array.from({ length: 201 }, (_, at) => `a${at}*,Oak,seat,Oak\n`).join(''),
      /uses 201 globs for models, but the maximum is 200/,
    ],
    ['a missing file', null, /nowhere\.csv in local folder .* does not exist/],
  ])('a table stops the run because of %s', async (_what, rows, message) => {
    const look = async () => {
      const path = rows === null ? 'nowhere.csv' : 'table.csv';
      const spec = { from: 'table', connector: 'here', path, matchMode: 'exact' } as const;
      (await grid(spec, rows ?? '')).cellsOf('a/x', source('a/x'));
    };
    await expect(look()).rejects.toMatchObject({
      runCause: { code: 'COLORWAY_TABLE', message: expect.stringMatching(message) as string },
    });
  });
});

it('a table that is not UTF-8 stops the run, with its file and line', async () => {
  const bytes = Buffer.from('model,colorway,slot,material\nx,Grün,seat,Oak\n', 'latin1');
  const spec = { from: 'table', connector: 'here', path: 'table.csv', matchMode: 'exact' } as const;
  await expect(gridOver(spec, bytes)).rejects.toThrow(/table\.csv in .*line 2: .*"CSV UTF-8"/);
});

it('a table may have other headings if the pipeline specifies them', async () => {
  const columns = { model: 'Style' };
  const spec = { from: 'table', connector: 'here', path: 'table.csv', matchMode: 'exact' } as const;
  const { keysOf } = await gridOver(
    { ...spec, columns },
    'Style,colorway,slot,material\nx,Oak,seat,Oak\n',
  );
  expect(keysOf('x')).toEqual(['x@Oak']);
});

describe('rows of tags in a table', () => {
  const rows = ',Oak,seat,Oak,season\nx,Ash,seat,Ash,\n';
  const tagged = (tags: string[] | undefined, text = rows) =>
    gridOver(
      {
        from: 'table',
        connector: 'here',
        path: 'table.csv',
        matchMode: 'exact',
        ...(tags ? { tags } : {}),
      },
      `model,colorway,slot,material,tag\n${text}`,
    );

  it('rows of tags apply to all models if the pipeline selects the models of one tag', async () => {
    const { keysOf, failuresOf } = await tagged(['season']);
    expect([keysOf('x'), keysOf('y')]).toEqual([['x@Ash', 'x@Oak'], ['y@Oak']]);
    expect(failuresOf(['x', 'y'], 'v')).toEqual([]);
  });

  it.each<[string, string[] | undefined, RegExp]>([
    [
      'if the pipeline selects no tag',
      undefined,
      /line 2: tag "season": the pipeline does not start with the models of a tag/,
    ],
    [
      'if the pipeline selects another tag',
      ['seasons'],
      /line 2: tag "season": the tag is not in `tagIds` of the pipeline; did you mean "seasons"\?/,
    ],
    [
      'if the pipeline selects several tags',
      ['season', 'b'],
      /line 2: tag "season": `tagIds` has 2 tags/,
    ],
  ])('rows that name a tag are refused, with their line, %s', async (_what, tags, message) => {
    await expect(tagged(tags)).rejects.toThrow(message);
  });
});

describe('the order of the rows of a colorway', () => {
  const rows = ['a,Oak,seat,Oak', 'a,Oak,legs,Brass'];
  it.each([
    ['has no effect on how the colorway looks', 'exact', true],
    ['decides which of two matching rows counts, if rows match parts of names', 'contains', false],
  ] as const)('the order %s', async (_, matchMode, isSame) => {
    const looks = [rows, rows.toReversed()].map(async (ordered) => {
      const spec = { from: 'table', connector: 'here', path: 'table.csv', matchMode } as const;
      const { cellsOf } = await grid(spec, `${ordered.join('\n')}\n`);
      return cellsOf('a', source('a')).map(({ source: { cell } }) => cell?.positions);
    });
    const [first, second] = await Promise.all(looks);
    expect(first).toHaveLength(1);
    if (isSame) expect(second).toEqual(first);
    else expect(second).not.toEqual(first);
  });
});

describe('line numbers of a table', () => {
  const all = async () =>
    ofTable('a,Oak,seat,Oak\na,Ash,seat,Ash\nb,Oak,seat,Oak\nb,Ash,seat,id:m-1\n');

  it('errors about a material state the line', async () => {
    const { locate } = await all();
    expect(['Oak', 'id:m-1', 'Elm'].map((one) => locate(one))).toEqual([
      'table.csv, lines 2, 4',
      'table.csv, line 5',
      '',
    ]);
    const failure = colorwayCauses.MATERIAL_NOT_FOUND;
    const { fix } = failure;
    const cause = { code: 'MATERIAL_NOT_FOUND', message: 'no', fix, kind: 'not-found' };
    const fail = (named: string) => async () => {
      throw new RunCauseError(failure, 'no', { named });
    };
    await expect(withTableLines(await all(), fail('Oak'))).rejects.toMatchObject({
      runCause: { ...cause, message: 'table.csv, lines 2, 4: no' },
    });
    const [oak, elm] = ['Oak', 'Elm'].map((named) => new RunCauseError(failure, named, { named }));
    const both = async () => {
      if (oak && elm) throw RunCauseError.combine([oak, elm]);
    };
    await expect(withTableLines(await all(), both)).rejects.toMatchObject({
      runCause: { ...cause, message: 'table.csv, lines 2, 4: Oak; Elm' },
    });
    await expect(withTableLines(await all(), fail('Elm'))).rejects.toMatchObject({
      runCause: cause,
    });
  });

  it('the line is found for a slot of a cell', async () => {
    const { locate } = await all();
    const { cell } = inCell({}, 'b', colorway('Ash'));
    expect(locate('seat', cell)).toBe('table.csv, line 5');
  });
});
