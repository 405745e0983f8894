// Messages about mistakes in the graph, or in a text that has its own language.
import { describe, expect, it } from 'vitest';
import { told, withNodes } from './_compile.ts';

type Row = [what: string, text: string, told: string[]];

const file = withNodes();
const ready = '{ id: ready, type: model_ready, parentIds: [take] }';
const shots = '{ id: shots, type: render, parentIds: [ready] }';
const exported = (naming: string) =>
  `{ id: e, type: export, parentIds: [shots], config: { connector: out, naming: "${naming}" } }`;
/** Its condition is on line 8, from column 63. */
const when = (condition: string) =>
  withNodes(`{ id: ready, type: model_ready, parentIds: [take], when: '${condition}' }`);

const groups: Record<string, Row[]> = {
  'a graph': [
    [
      'with the same id twice',
      withNodes(ready, ready),
      ['9:11 RL401 the id "ready" is already used by the node in line 8'],
    ],
    [
      'with a node that is its own parent',
      withNodes('{ id: ready, type: model_ready, parentIds: [take, ready] }'),
      ['8:55 RL402 "ready" is its own parent'],
    ],
    [
      'with a cycle, and a node after it',
      withNodes(
        '{ id: a, type: model_ready, parentIds: [b] }',
        '{ id: b, type: model_ready, parentIds: [a] }',
        '{ id: c, type: model_ready, parentIds: [b] }',
      ),
      [
        '8:44 RL403 the nodes form a cycle: a → b → a',
        '10:11 RL408 "c" can never be reached: it comes after a cycle',
      ],
    ],
    [
      'with two roots',
      withNodes('{ id: more, type: connector_poll, config: { connector: models } }'),
      ['8:11 RL404 a second root: "take" already starts the pipeline'],
    ],
    [
      'with a second node that cannot begin one',
      withNodes('{ id: made, type: project_created }'),
      [
        '8:11 RL405 "made" has no parents, but project_created cannot start a pipeline without "select" or "on" | Add parentIds, for example [take].',
      ],
    ],
    [
      'whose root is disabled',
      withNodes(ready).replace('id: take,', 'id: take, enabled: false,'),
      [
        '8:11 RL405 "ready" has no parent left: take is disabled | Start with connector_poll or library_import, or with a node that has `select` or `modelScope`.',
      ],
    ],
    [
      'whose nodes are all disabled',
      file.replace('id: take,', 'id: take, enabled: false,'),
      ['6:1 RL404 every node is disabled'],
    ],
    [
      'with parents before its root',
      withNodes(
        '{ id: more, type: connector_poll, parentIds: [take], config: { connector: models } }',
      ),
      ['8:39 RL406 connector_poll starts a pipeline and cannot have parents'],
    ],
    [
      'with a parent that is listed twice',
      withNodes('{ id: ready, type: model_ready, parentIds: [take, take] }'),
      ['8:55 RL411 "take" is listed twice'],
    ],
    [
      'without records or an export',
      file.replace('records: out\n', ''),
      [
        '4:3 RL307 the connector "out" is never used',
        '5:1 RL409 without an export node the file must say where asset records are stored | Add `records:` with the name of a connector.',
      ],
    ],
  ],
  work: [
    [
      'that lacks what it needs',
      withNodes('{ id: w, type: render_complete, parentIds: [take] }'),
      [
        '8:11 RL407 render_complete needs a render, which no node before "w" provides | Add render before "w".',
      ],
    ],
    [
      'that can never run',
      withNodes(
        "{ id: a, type: model_ready, parentIds: [take], when: 'asset.bytes > 5' }",
        "{ id: b, type: render, parentIds: [a], when: '!(asset.bytes > 5)' }",
      ),
      ['9:50 RL408 "b" can never run: its condition contradicts "asset.bytes > 5" before it'],
    ],
    [
      'that runs twice in parallel',
      withNodes(ready, shots, '{ id: more, type: render, parentIds: [ready] }'),
      [
        '10:11 RL410 "shots" and "more" both create a finished render for the same asset in parallel | Place one node after the other, or add `when:` conditions that exclude each other.',
      ],
    ],
    [
      'that may run twice in parallel',
      withNodes(
        ready,
        "{ id: shots, type: render, parentIds: [ready], when: 'asset.bytes > 1' }",
        '{ id: more, type: render, parentIds: [ready], when: \'asset.name == "x"\' }',
      ),
      [
        '10:11 RL410 "shots" and "more" both create a finished render for the same asset in parallel, unless their conditions exclude each other | Write one condition as !(…) of the other, so that Renderline can prove this.',
      ],
    ],
    [
      'that has already been done',
      withNodes(ready, shots, '{ id: more, type: render, parentIds: [shots] }'),
      [
        '10:11 RL410 an asset has only one render: "more" would do nothing after "shots" | Remove one of the two nodes, or move one to another pipeline.',
      ],
    ],
    [
      'that comes too late',
      withNodes(
        ready,
        shots,
        '{ id: look, type: template_match, parentIds: [shots], config: { default: W } }',
      ),
      [
        '10:11 RL407 "look" chooses the template too late: "shots" creates the project | Move look before shots.',
      ],
    ],
  ],
  'an expression': [
    ['with invalid syntax', when('asset.bytes >> 1'), ['8:76 RL501 unexpected token: GT']],
    [
      'with an unknown field',
      when('asset.byts > 1'),
      ['8:69 RL502 no such key: byts | Did you mean "bytes"?'],
    ],
    [
      'with an unknown variable',
      when('aset.bytes > 1'),
      ['8:63 RL502 unknown variable: aset | Did you mean "asset"?'],
    ],
    [
      'that is not a condition',
      when('asset.name'),
      ['8:63 RL503 nodes[1].when must return true or false, not string'],
    ],
    [
      'that may run forever',
      when('asset.name.matches("(a+)+$")'),
      ['8:82 RL504 the pattern of matches repeats a group that contains a repetition or a choice'],
    ],
    [
      'about a later result',
      when('project.id == "p"'),
      ['8:63 RL505 project is not available yet at this node'],
    ],
    [
      'about variants without a choice of variants',
      when('variant.name == "p"'),
      ['8:63 RL505 variant is available only where variants are chosen'],
    ],
  ],
  'a text value': [
    [
      'that is an absolute glob',
      file.replace('connector: models', 'connector: models, include: ["/a/*.glb"]'),
      ['7:79 RL511 nodes[0].config.include[0] begins with /; paths are relative'],
    ],
    [
      'that is a glob outside the folder',
      file.replace('connector: models', 'connector: models, exclude: ["a/../b"]'),
      ['7:80 RL511 nodes[0].config.exclude[0] leaves the folder with ..'],
    ],
    [
      'that is a pattern that may run forever',
      withNodes(
        "{ id: look, type: template_match, parentIds: [take], config: { rules: [{ template: T, regex: '(a+)+' }] } }",
      ),
      [
        '8:99 RL512 nodes[1].config.rules[0].regex repeats a group that contains a repetition or a choice',
      ],
    ],
    [
      'that names files by an unknown field',
      withNodes(ready, shots, exported('{{ kye }}.{{ ext }}')),
      ['10:83 RL521 nodes[3].config.naming: {{ kye }} is not a field | Did you mean "key"?'],
    ],
    [
      'that names files outside the connector',
      withNodes(ready, shots, exported('/{{ key }}')),
      [
        '10:83 RL521 nodes[3].config.naming: must be a path below the connector, not an absolute one',
      ],
    ],
    [
      'that creates two files with the same name',
      withNodes(ready, shots, exported('{{ output }}.{{ ext }}')),
      [
        '10:83 RL522 nodes[3].config.naming would give all assets the same name | Add {{ key }}, {{ name }} or {{ row.COLUMN }} to the name.',
      ],
    ],
  ],
  'a key': [
    [
      'that all assets share',
      `${file}\nkey: '"all"'`,
      [
        '8:7 RL522 key: every asset would have the same key | Build the key from the path, folder or name of the file.',
      ],
    ],
    [
      'with an unknown field',
      `${file}\nkey: "{{ nmae }}"`,
      ['8:7 RL521 key: {{ nmae }} is not a field | Did you mean "name"?'],
    ],
    [
      'of a field with an empty name',
      `${file}\nkey: "fixed{{ }}"`,
      ['8:12 RL521 key: {{ }} contains no field | Available: path, folder, name, ext.'],
    ],
    [
      'of a field that is known only later',
      `${file}\nkey: 'asset.key'`,
      ['8:7 RL505 asset.key is not available when keys are computed; use path, folder, name, ext'],
    ],
    [
      'of a field that is known only later, in brackets',
      `${file}\nkey: 'asset["key"]'`,
      ['8:7 RL505 asset.key is not available when keys are computed; use path, folder, name, ext'],
    ],
  ],
};

describe('consequences of a mistake', () => {
  const withParameter = (declaration: string, text: string) =>
    `parameters: { n: ${declaration} }\n${text}`;
  const nowhere = withNodes(ready, shots, '{ id: e, type: exprt, parentIds: [shots] }')
    .replace('records: out\n', '')
    .replace('  out: { type: local, path: out }\n', '');
  const rows: Row[] = [
    [
      'a node of an unknown type may be the location of the records',
      nowhere,
      ['8:20 RL301 the node type "exprt" does not exist | Did you mean "export"?'],
    ],
    [
      'a parameter of an unknown type may be a condition',
      withParameter('{ type: boolen }', when('params.n')),
      [
        '1:26 RL204 parameters.n.type must be string, path, integer, number, boolean or enum, not "boolen" | Did you mean "boolean"?',
      ],
    ],
    [
      'a parameter without a value may make file names unique',
      withParameter('{ type: string }', withNodes(ready, shots, exported('${{ params.n }}'))),
      [],
    ],
    [
      'a parameter may be read through text that contains its name',
      withParameter('{ type: string, default: a }', when('params["n"] == "a"')),
      [],
    ],
  ];
  it.each(rows)(
    'no mistake is reported as the consequence of another, or of an unknown value: %s',
    (_what, text, words) => expect(told(text)).toEqual(words),
  );
});

describe.each(Object.entries(groups))('messages about %s', (_, rows) => {
  it.each(rows)(
    'a mistake is reported at its position, with its message (%s)',
    (_what, text, words) => {
      expect(told(text)).toEqual(words);
    },
  );
});
