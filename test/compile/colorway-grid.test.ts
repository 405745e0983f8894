// Grids of colorways in a file: which combinations exist, and how steps share calls.
import { describe, expect, it } from 'vitest';
import type { Step } from '../../src/plan/types.ts';
import { compile, placesOf, planOf, withNodes } from './_compile.ts';

const ready = '{ id: ready, type: model_ready, parentIds: [take] }';
const grid = (colorways: string, more = '') =>
  `{ id: v, type: variant, parentIds: [ready], ${more}config: { colorways: ${colorways} } }`;
const list = (...names: string[]) =>
  `[${names.map((name) => `{ name: "${name}", swapRules: [{ matchText: a, matchMode: exact, material: Oak }] }`).join(', ')}]`;
const shots = '{ id: shots, type: render, parentIds: [v] }';
const messages = (text: string) => compile(text).problems.map(({ message }) => message);

describe('names of colorways that decide how pictures look', () => {
  const look = (rule: string) =>
    `{ id: look, type: template_match, parentIds: [v], config: { rules: [{ ${rule}, template: A }], default: B } }`;
  const ofLook = '{ id: shots, type: render, parentIds: [look] }';
  it.each([
    ['no rule', [shots], undefined],
    ['a rule for folders', [look('glob: "a/**"'), ofLook], undefined],
    ['a condition on the file', [look('when: "asset.bytes > 1.0"'), ofLook], undefined],
    ['a rule for the last part of keys', [look('glob: "**/*Lux*"'), ofLook], true],
    ['a regular expression for keys', [look('regex: Lux'), ofLook], true],
    ['a condition on the colorway', [look("when: asset.colorway == 'Lux'"), ofLook], true],
    ['a computed field', [look('when: \'asset["co" + "lorway"] == "Lux"\''), ofLook], true],
    ['a condition of a step', [shots.replace('{', "{ when: asset.key != 'a@Lux',")], true],
  ])('%s', (_, nodes, readsCellNames) => {
    const { discovery } = planOf(withNodes(ready, grid(list('Lux')), ...nodes));
    expect(discovery.readsCellNames).toBe(readsCellNames);
  });
});

describe('a matrix', () => {
  it('a matrix contains every combination except the excluded ones', () => {
    const matrix =
      '{ matrix: { seat: [Oak, Ash], legs: [Brass, Steel] }, exclude: [{ seat: Ash, legs: Brass }] }';
    const { discovery } = planOf(withNodes(ready, grid(matrix), shots));
    expect(discovery.grid?.[0]?.spec).toEqual({
      from: 'list',
      colorways: ['Oak + Brass', 'Oak + Steel', 'Ash + Steel'].map((name) => {
        const [seat, legs] = name.split(' + ');
        const rule = (matchText: string, material: string | undefined) => ({
          matchText,
          matchMode: 'exact',
          material,
        });
        return { name, where: null, rules: [rule('seat', seat), rule('legs', legs)] };
      }),
    });
    // Its materials are looked up before the run, once each.
    expect(discovery.lookUps).toMatchObject([{ config: { swapRules: Array(4).fill({}) } }]);
  });

  describe('a matrix with more than 500 combinations before its last slot', () => {
    const materials = (letter: string, count: number) =>
      `[${Array.from({ length: count }, (_, index) => letter + index).join(', ')}]`;
    const matrix = (legs: string) => {
      const exclude = Array.from({ length: 28 }, (_, index) => `{ seat: a${index} }`).join(', ');
      return `{ matrix: { seat: ${materials('a', 30)}, back: ${materials('b', 20)}, legs: ${legs} }, exclude: [${exclude}] }`;
    };

    it('a matrix is accepted if few enough combinations remain', () => {
      const { discovery } = planOf(withNodes(ready, grid(matrix('[Brass]')), shots));
      const name: unknown = expect.stringMatching(/ \+ Brass$/);
      expect(discovery.grid?.[0]?.spec).toMatchObject({ colorways: Array(40).fill({ name }) });
    });

    it('a matrix is accepted if its exclusions remove enough combinations', () => {
      const exclude = Array.from({ length: 28 }, (_, at) => `{ seat: a${at}, legs: Brass }`);
      const text = `{ matrix: { seat: ${materials('a', 30)}, back: ${materials('b', 20)}, legs: [Brass] }, exclude: [${exclude.join(', ')}] }`;
      const { discovery } = planOf(withNodes(ready, grid(text), shots));
      expect(discovery.grid?.[0]?.spec).toMatchObject({ colorways: { length: 40 } });
    });

    it('a matrix is refused if the last slot leads to too many combinations', () => {
      const text = withNodes(ready, grid(matrix(materials('c', 20))), shots);
      expect(messages(text).join()).toMatch(/creates 800 colorways; the maximum is 500/);
    });
  });

  it.each([
    [
      'excludes an unknown value',
      '{ matrix: { a: [Oak] }, exclude: [{ a: Elm }] }',
      /excludes a: Elm/,
    ],
    ['leaves nothing', '{ matrix: { a: [Oak] }, exclude: [{ a: Oak }] }', /leaves no colorway/],
    [
      'has too many combinations',
      `{ matrix: { ${['a', 'b', 'c'].map((slot) => `${slot}: [${Array.from({ length: 9 }, (_, at) => `M${at}`).join(', ')}]`).join(', ')} } }`,
      /creates 729 colorways; the maximum is 500/,
    ],
    ['has a name twice in a list', list('Oak', 'oak'), /two colorways are named "oak"/],
    ['has an invalid name in a list', list(' Oak'), /begins or ends with white space/],
  ])('a matrix that %s is refused', (_what, colorways, message) => {
    expect(messages(withNodes(ready, grid(colorways), shots)).join()).toMatch(message);
  });
});

describe('a table', () => {
  const table = (columns: string) =>
    withNodes(
      ready,
      grid(`{ table: { connector: models, path: a.csv, columns: ${columns} } }`),
      shots,
    );

  it('a table can specify its columns', () => {
    const text = table('{ model: Style, colorway: " Colour name " }');
    expect(planOf(text).discovery.grid?.[0]?.spec).toMatchObject({
      from: 'table',
      columns: { model: 'Style', colorway: 'Colour name' },
    });
  });

  it('a table cannot have two columns with the same name', () => {
    expect(messages(table('{ model: slot }')).join()).toMatch(/gives two columns the same name/);
    expect(compile(table('{ model: slot, slot: Model }')).ok).toBe(true);
  });
});

describe('steps of a plan with a grid', () => {
  it('steps share calls by model before the grid, and by model or by colorway after it', () => {
    const { steps, shardSize } = planOf(withNodes(ready, grid(list('Oak', 'Ash')), shots));
    expect(Object.fromEntries(steps.map(({ id, cells }) => [id, cells]))).toEqual({
      take: { work: 0, calls: 0 },
      ready: { work: 0, calls: 0 },
      'v.before': { work: 1, calls: 0 },
      'v.batch': { work: 1, calls: 1 },
      'v.wait': { work: 1, calls: 1 },
      v: { work: 1, calls: 0 },
      'shots.project': { work: 1, calls: 1 },
      shots: { work: 1, calls: 1 },
      'shots.wait': { work: 1, calls: 1 },
    });
    // One hundred models in two colorways fill calls of fifty.
    expect(shardSize % 100).toBe(0);
  });

  it.each([
    { colorways: 1, assets: 600 },
    { colorways: 5, assets: 500 },
    { colorways: 20, assets: 1_000 },
    { colorways: 40, assets: 1_500 },
  ])('a shard of $colorways colorways has $assets assets', ({ colorways, assets }) => {
    const names = Array.from({ length: colorways }, (_, index) => `C${index}`);
    const { shardSize } = planOf(withNodes(ready, grid(list(...names)), shots));
    expect(shardSize).toBe(assets);
  });

  it('steps batch their results if a call for each colorway follows', () => {
    const { steps } = planOf(withNodes(ready, grid(list('Oak', 'Ash')), shots));
    const batching = steps.filter(({ batchesCells }) => batchesCells).map(({ id }) => id);
    expect(batching).toEqual(['ready', 'v.wait']);
  });

  it('steps without a grid have no cells', () => {
    const { steps } = planOf(withNodes(ready, '{ id: shots, type: render, parentIds: [ready] }'));
    expect(steps.filter(({ cells }) => cells !== undefined)).toEqual([]);
  });
});

describe('views', () => {
  const viewed = (views: string, parent = 'v', more = '') =>
    `{ id: shots, type: render, parentIds: [${parent}], ${more}config: { settings: { imageQuality: 0 }, views: ${views} } }`;
  const two =
    '[{ name: front, template: A }, { name: hero, template: B, settings: { imageQuality: 2 } }]';

  const sharing = (steps: readonly Step[]) =>
    steps.map(({ id, cells }) => [id, cells?.work, cells?.calls]);

  it('views run once per view, and the steps before them once per colorway', () => {
    const { steps, shardSize } = planOf(withNodes(ready, grid(list('Oak')), viewed(two)));
    expect(sharing(steps)).toEqual([
      ['take', 0, 0],
      ['ready', 0, 0],
      ['v.before', 1, 0],
      ['v.batch', 1, 1],
      ['v.wait', 1, 1],
      ['v', 1, 0],
      ['shots.template', 2, 2],
      ['shots.project', 2, 2],
      ['shots', 2, 2],
      ['shots.wait', 2, 2],
    ]);
    expect(shardSize % 100).toBe(0);
  });

  it('views of a model run once per view, and the steps before them once per model', () => {
    const { steps } = planOf(
      withNodes(ready, viewed('[{ name: front }, { name: hero }]', 'ready')),
    );
    expect(sharing(steps)).toEqual([
      ['take', 0, 0],
      ['ready', 0, 0],
      ['shots.project', 1, 1],
      ['shots', 1, 1],
      ['shots.wait', 1, 1],
    ]);
  });

  it('views have fingerprints, and do not affect the recipe', () => {
    const planned = (views: string) => planOf(withNodes(ready, viewed(views, 'ready')));
    const marks = ({ discovery: { grid: [views] = [] } }: ReturnType<typeof planned>) =>
      ((views?.spec ?? []) as { fingerprint: string }[]).map(({ fingerprint: mark }) => mark);
    const before = planned(two);
    const after = planned(two.replace('imageQuality: 2', 'imageQuality: 1'));
    expect(marks(after)[0]).toBe(marks(before)[0]);
    expect(marks(after)[1]).not.toBe(marks(before)[1]);
    expect(after.recipe).toBe(before.recipe);
  });

  it.each([
    [
      'two views of the same name',
      viewed('[{ name: a }, { name: A }]', 'ready'),
      /two views are named "A"/,
    ],
    [
      'a template for only some of the views',
      viewed('[{ name: a, template: T }, { name: b }]', 'ready'),
      /"b" has no template, but other views have a template/,
    ],
    ['an invalid name', viewed('[{ name: "a " }]', 'ready'), /begins or ends with white space/],
    [
      'a condition',
      viewed('[{ name: a }]', 'ready', 'when: \'asset.key == "a"\', '),
      /would continue once for each view, but without a view/,
    ],
    [
      'a project created before them',
      '{ id: p, type: project_created, parentIds: [ready] }\n  - '.concat(
        viewed('[{ name: a }]', 'p'),
      ),
      /"p" creates the project before the views/,
    ],
    [
      'existing projects on the platform',
      '{ id: shots, type: render, config: { select: { projects: {} }, views: [{ name: a }] } }',
      /views need models/,
    ],
  ])('views with %s are refused', (_what, node, message) => {
    const text = node.includes('select')
      ? withNodes(node).replace(/^.*type: connector_poll.*\n/m, '')
      : withNodes(ready, node);
    expect(messages(text).join()).toMatch(message);
  });
});

describe('a refused grid', () => {
  const oak = list('Oak');
  it.each([
    [
      'a parallel node',
      [
        ready,
        grid(oak),
        '{ id: other, type: notify, parentIds: [ready], config: { url: "https://a.example/", secretFrom: RENDERLINE_SECRET_KEY } }',
      ],
      '10:11 RL415',
    ],
    ['a condition', [ready, grid(oak, 'when: \'asset.key == "a"\', ')], '9:11 RL415'],
    [
      'a second way to choose',
      [
        ready,
        `{ id: v, type: variant, parentIds: [ready], config: { colorways: ${oak}, choose: all } }`,
      ],
      '9:57 RL204',
    ],
  ])('a grid is refused with %s', (_what, nodes, place) => {
    expect(placesOf(withNodes(...nodes))).toContain(place);
  });
});
