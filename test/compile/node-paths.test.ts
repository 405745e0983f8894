// What nodes can rely on for every combination of conditions: diamonds, joins, `when`, disabled nodes.
import { describe, expect, it } from 'vitest';
import { excludeEachOther } from '../../src/language/exclude-each-other.ts';
import { placesOf, planOf, withNodes } from './_compile.ts';

const ready = '{ id: ready, type: model_ready, parentIds: [take] }';
const shots = '{ id: shots, type: render, parentIds: [ready] }';
const out = 'config: { connector: out }';
const node = (id: string, type: string, parents: string, more = '') =>
  `{ id: ${id}, type: ${type}, parentIds: [${parents}]${more === '' ? '' : `, ${more}`} }`;
const hook = '{ url: "https://a.example/in", secretFrom: RENDERLINE_SECRET_HOOK }';
const template = 'config: { default: Studio White }';
const big = "when: 'asset.bytes > 1000'";
const small = "when: 'asset.bytes <= 1000'";

/** Each node is on a separate line, starting at line 8. Its id is in column 11. */
const rows: { name: string; nodes: string[]; errors?: string[]; warnings?: string[] }[] = [
  { name: 'no problem in a valid chain', nodes: [ready, shots, node('e', 'export', 'shots', out)] },
  {
    name: 'a render before its model is ready',
    nodes: [node('shots', 'render', 'take')],
    errors: ['8:11 RL407'],
  },
  {
    name: 'an export without a render',
    nodes: [ready, node('e', 'export', 'ready', out)],
    errors: ['9:11 RL407'],
  },
  {
    name: 'a wait for a render that no node starts',
    nodes: [ready, node('w', 'render_complete', 'ready')],
    errors: ['9:11 RL407'],
  },
  {
    name: 'an export of renders without a wait',
    nodes: [
      ready,
      node('s', 'render', 'ready', 'config: { wait: false }'),
      node('e', 'export', 's', out),
    ],
    errors: ['10:11 RL407'],
  },
  {
    name: 'an export after a separate wait node',
    nodes: [
      ready,
      node('s', 'render', 'ready', 'config: { wait: false }'),
      node('w', 'render_complete', 's'),
      node('e', 'export', 'w', out),
    ],
  },
  {
    name: 'one branch with a wait node, and one without',
    nodes: [
      ready,
      shots,
      node('w', 'render_complete', 'shots'),
      node('e', 'export', 'w', out),
      node('f', 'export', 'shots', 'config: { connector: out, naming: "f/{{ key }}.{{ ext }}" }'),
    ],
  },

  {
    name: 'a diamond whose branches both end before the join',
    nodes: [
      ready,
      node('look', 'template_match', 'take', template),
      node('s', 'render', 'ready, look'),
    ],
  },
  {
    name: 'a condition on one side of a join that the join needs',
    nodes: [
      node('ready', 'model_ready', 'take', big),
      node('look', 'template_match', 'take', template),
      node('s', 'render', 'ready, look'),
    ],
    errors: ['10:11 RL407'],
  },
  {
    name: 'a condition before everything',
    nodes: [
      node('ready', 'model_ready', 'take', big),
      node('look', 'template_match', 'ready', template),
      node('s', 'render', 'ready, look'),
    ],
  },
  {
    name: 'the same condition on both sides',
    nodes: [
      node('ready', 'model_ready', 'take', big),
      node('look', 'template_match', 'take', `${template}, ${big}`),
      node('s', 'render', 'ready, look'),
    ],
  },
  {
    name: 'a join with a render on every path',
    nodes: [
      ready,
      node('a', 'render', 'ready', big),
      node('b', 'render', 'ready', small),
      node('e', 'export', 'a, b', out),
    ],
  },

  {
    name: 'two parallel renders',
    nodes: [ready, shots, node('b', 'render', 'ready')],
    errors: ['10:11 RL410'],
  },
  {
    name: 'two renders with conditions that may both be true',
    nodes: [
      ready,
      node('a', 'render', 'ready', big),
      node('b', 'render', 'ready', 'when: \'asset.name == "x"\''),
    ],
    warnings: ['10:11 RL410'],
  },
  {
    name: 'two renders below branches that exclude each other',
    nodes: [
      ready,
      node('a', 'template_match', 'ready', `${template}, ${big}`),
      node('b', 'template_match', 'ready', `${template}, ${small}`),
      node('s', 'render', 'a'),
      node('t', 'render', 'b'),
    ],
  },
  {
    name: 'a project parallel to a render that creates one too',
    nodes: [ready, node('p', 'project_created', 'ready'), shots],
    errors: ['10:11 RL410'],
  },
  {
    name: 'a second render after the first',
    nodes: [ready, shots, node('again', 'render', 'shots')],
    errors: ['10:11 RL410'],
  },
  {
    name: 'two parallel templates',
    nodes: [
      ready,
      node('a', 'template_match', 'ready', template),
      node('b', 'template_match', 'ready', template),
      node('s', 'render', 'a, b'),
    ],
    errors: ['10:11 RL410'],
  },
  {
    name: 'a template replaced for some assets',
    nodes: [
      ready,
      node('a', 'template_match', 'ready', template),
      node('b', 'template_match', 'a', `${template}, ${big}`),
      node('s', 'render', 'a, b'),
    ],
  },
  {
    name: 'a template after the project',
    nodes: [
      ready,
      node('p', 'project_created', 'ready'),
      node('look', 'template_match', 'p', template),
      node('s', 'render', 'look'),
    ],
    errors: ['10:11 RL407'],
  },
  {
    name: 'a template parallel to the render',
    nodes: [ready, node('look', 'template_match', 'ready', template), shots],
    errors: ['9:11 RL407'],
  },

  {
    name: 'a condition that contradicts an earlier one',
    nodes: [node('ready', 'model_ready', 'take', big), node('s', 'render', 'ready', small)],
    errors: ['9:54 RL408'],
  },
  {
    name: 'a variable that is not available yet',
    nodes: [node('ready', 'model_ready', 'take', 'when: \'project.id != ""\'')],
    errors: ['8:63 RL505'],
  },
  {
    name: 'a template that some assets do not have',
    nodes: [
      ready,
      node('a', 'template_match', 'ready', `${template}, ${big}`),
      node('s', 'render', 'ready, a', 'when: \'template.id == "t"\''),
    ],
    errors: ['10:58 RL505'],
  },
  {
    name: 'a template that every asset has',
    nodes: [
      ready,
      node('a', 'template_match', 'ready', template),
      node('s', 'render', 'a', 'when: \'template.id == "t"\''),
    ],
  },
  {
    name: 'the condition of a side step does not apply to the nodes after it',
    nodes: [
      ready,
      node('tell', 'notify', 'ready', `config: ${hook}, ${big}`),
      node('shots', 'render', 'tell', small),
      node('e', 'export', 'shots', `${out}, ${small}`),
    ],
  },
];

describe('paths through a pipeline', () => {
  it.each(rows)(
    'each problem of the paths is reported at its position: $name',
    ({ nodes, errors = [], warnings = [] }) => {
      const text = withNodes(...nodes);
      expect(placesOf(text)).toEqual(errors);
      expect(placesOf(text, 'warning')).toEqual(warnings);
    },
  );
});

describe('disabled nodes', () => {
  const off = 'enabled: false';

  it('disabled nodes pass their parents to their children, even several in a row', () => {
    const plan = planOf(
      withNodes(
        ready,
        node('a', 'template_match', 'ready', `${template}, ${off}`),
        node('b', 'template_match', 'a', `${template}, ${off}`),
        node('s', 'render', 'b, ready'),
      ),
    );
    expect(plan.steps.map(({ id, parents }) => [id, parents])).toEqual([
      ['take', []],
      ['ready', ['take']],
      ['s.project', ['ready']],
      ['s', ['s.project']],
      ['s.wait', ['s']],
    ]);
  });

  it('disabled nodes create nothing for later nodes', () => {
    const text = withNodes(ready.replace(' }', `, ${off} }`), shots);
    expect(placesOf(text)).toEqual(['9:11 RL407']);
  });
});

describe('conditions that exclude each other', () => {
  it.each([
    ['asset.bytes > 1', '!(asset.bytes > 1)', true],
    ['asset.bytes > 1', 'asset.bytes<=1', true],
    ['asset.bytes < 1', 'asset.bytes >= 1.0', true],
    ['asset.name == "a"', "asset.name == 'b'", true],
    ['asset.name == "a"', "asset.name != 'a'", true],
    ['asset.name.startsWith("a")', '!asset.name.startsWith("a")', true],
    ['a.x || a.y', '!( a.x  || a.y )', true],
    ['asset.bytes == 1', 'asset.bytes == 1.0', false],
    ['asset.name == "a"', 'asset.name == "a"', false],
    ['asset.name == "a"', 'asset.key == "b"', false],
    ['asset.bytes > 1', 'asset.bytes > 2', false],
    ['asset.bytes >= 1', 'asset.bytes <= 1', false],
    ['params.a && params.b', '!params.a && params.b', false],
    ['(params.a) || (params.b)', '!(params.a) || (params.b)', false],
    ['asset.name == "a  b"', '!(asset.name == "a b")', false],
    ['(asset.bytes > 1)', '((asset.bytes <= 1))', true],
    ['asset.name == "(a"', '!(asset.name == "(a")', true],
    ['asset.name.split("-")[0] == "a"', 'asset.name.split("-")[0] == "b"', true],
    ['model.category == "a" && true', '!(model.category == "a" && true)', true],
    ['asset.bytes > -1', 'asset.bytes <= -1', true],
    ['1 < asset.bytes', 'asset.bytes > 1', false],
    ['asset.bytes >', '!(asset.bytes >)', false],
  ])('the conditions %s and %s exclude each other: %s', (first, second, expected) => {
    expect(excludeEachOther(first, second)).toBe(expected);
    expect(excludeEachOther(second, first)).toBe(expected);
  });
});
