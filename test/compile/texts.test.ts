// Texts that have their own language. A mistake is reported inside the text, in any YAML notation.
import { describe, expect, it } from 'vitest';
import { compile, placesOf, withNodes } from './_compile.ts';

/** The condition of a node on line 9, which is the line of `when:`. */
const withWhen = (when: string) =>
  withNodes(`{ id: ready, type: model_ready, parentIds: [take],\n      when: ${when} }`);
/** The expression is on line 9, from column 14, after its quote. */
const conditions: [name: string, when: string, places: string[]][] = [
  ['a comparison', `'asset.bytes > 1'`, []],
  ['functions of text', `'asset.path.startsWith("a/") && asset.folder.contains("b")'`, []],
  ['a time', `'asset.modifiedAt > timestamp("2026-01-01T00:00:00Z")'`, []],
  ['the model before this node', `'model.category == "shoe"'`, []],
  ['an unknown operator', `'asset.bytes >> 1'`, ['9:27 RL501']],
  ['an unknown variable', `'aset.bytes > 1'`, ['9:14 RL502']],
  ['an unknown field', `'asset.byte > 1'`, ['9:20 RL502']],
  ['incompatible types', `'asset.name > 1'`, ['9:14 RL502']],
  ['text instead of a condition', `'asset.name'`, ['9:14 RL503']],
  ['a number instead of a condition', `'1 + 1'`, ['9:14 RL503']],
  ['a project that is not available yet', `'true || project.id == "p"'`, ['9:22 RL505']],
  ['a pattern that could run forever', `'asset.name.matches("(a+)+$")'`, ['9:33 RL504']],
  ['a pattern computed at run time', `'asset.name.matches(asset.path)'`, ['9:14 RL504']],
  ['a macro in a macro', `'[1].all(x, [1].all(y, true))'`, ['9:25 RL504']],
  ['double quotes with escapes', `"asset.name == \\"a\\" && aset.key == \\"b\\""`, ['9:37 RL502']],
  ['single quotes that are doubled', `'asset.name == ''a'' && aset.key == ''b'''`, ['9:37 RL502']],
  ['an interpolation', `'\${{ params.x }} == 1'`, ['9:14 RL304', '9:13 RL306']],
];

describe('a condition', () => {
  it.each(conditions)(
    'a condition is accepted, or is refused at its position: %s',
    (_name, when, places) => {
      expect(placesOf(withWhen(when)).sort()).toEqual([...places].sort());
    },
  );

  it('mistakes in a condition in a block are reported at their lines and columns', () => {
    const text = withNodes(
      [
        'id: ready',
        'type: model_ready',
        'parentIds: [take]',
        'when: |',
        '  asset.bytes > 1',
        '  && aset.key == "a"',
      ].join('\n    '),
    );
    expect(placesOf(text)).toEqual(['13:10 RL502']);
  });

  it('mistakes in a condition in a folded block are reported at their lines and columns', () => {
    const node = [
      'id: r',
      'type: model_ready',
      'parentIds: [take]',
      'when: >-',
      '  asset.bytes > 1',
      '  && aset.key == "a"',
    ];
    expect(placesOf(withNodes(node.join('\n    ')))).toEqual(['13:10 RL502']);
  });

  it('an unknown field of a model in a condition is reported with a hint', () => {
    const problem = compile(withWhen(`'model.categry == "a"'`)).problems.at(-1);
    expect(problem?.hint).toBe('Did you mean "category"?');
  });

  it('an unknown field of an asset in a condition is reported with a hint', () => {
    const { problems } = compile(withWhen(`'asset.byts > 1'`));
    expect(problems.at(-1)?.hint).toBe('Did you mean "bytes"?');
  });
});

/** A field of the root's config on line 8, its value from column 23. */
const withRoot = (field: string, value: string) =>
  withNodes().replace(
    'config: { connector: models } }',
    `config: { connector: models,\n      ${`${field}:`.padEnd(16)}${value} } }`,
  );

describe('globs', () => {
  it.each([
    ['"**/*.{glb,gltf}"', []],
    ['"shoes/[a-z]*/?.glb"', []],
    ['"/abs/*.glb"', ['8:25 RL511']],
    ['"a/../b"', ['8:26 RL511']],
    ['"a\\\\b"', ['8:26 RL511']],
    ['"!a"', ['8:25 RL511']],
    ['"+(a|b)"', ['8:25 RL511']],
    ['"a[b"', ['8:26 RL511']],
    ['"{a,{b,c}}"', ['8:28 RL511']],
    ['"{1..100000}"', ['8:25 RL511']],
    [`"${'*a'.repeat(21)}"`, ['8:65 RL511']],
    ['""', ['8:24 RL204']],
  ])('the glob %s causes the problems %j', (glob, places) => {
    expect(placesOf(withRoot('include', `[${glob}]`))).toEqual(places);
  });
});

describe('durations', () => {
  it.each([
    ['1h30m', []],
    ['1.5s', []],
    ['500ms', []],
    ['30d', []],
    ['31d', ['8:23 RL205']],
    ['5', ['8:23 RL203']],
    ['"5"', ['8:23 RL204']],
    ['5 minutes', ['8:23 RL204']],
    ['-5s', ['8:23 RL204']],
  ])('the duration %s causes the problems %j', (duration, places) => {
    expect(placesOf(withRoot('stableFor', duration))).toEqual(places);
  });

  const waits = (timeout: string) =>
    placesOf(withNodes(`{ timeout: ${timeout}, id: ready, type: model_ready, parentIds: [take] }`));
  it.each([
    ['1s', []],
    ['30d', []],
    ['999ms', ['8:16 RL204']],
    ['0s', ['8:16 RL204']],
    ['721h', ['8:16 RL205']],
  ])('a timeout of %s causes the problems %j', (timeout, places) => {
    expect(waits(timeout)).toEqual(places);
  });

  it.each([
    ['23h', []],
    ['24h', ['9:16 RL205']],
    ['40d', ['9:16 RL205']],
  ])('a timeout of %s causes the problems %j for a node that submits work', (timeout, places) => {
    const ready = '{ id: ready, type: model_ready, parentIds: [take] }';
    const shots = `{ timeout: ${timeout}, id: s, type: render, parentIds: [ready] }`;
    expect(placesOf(withNodes(ready, shots))).toEqual(places);
  });
});

describe('naming', () => {
  /** The template is on line 11, from column 15, after its quote. */
  const withNaming = (naming: string) =>
    withNodes(
      '{ id: ready, type: model_ready, parentIds: [take] }',
      '{ id: shots, type: render, parentIds: [ready] }',
      `{ id: e, type: export, parentIds: [shots], config: { connector: out,\n      naming: "${naming}" } }`,
    );
  it.each([
    ['{{ key }}.{{ ext }}', []],
    ['{{key}}/{{ output }}-{{ index }}.{{ ext }}', []],
    ['{{ model }}.{{ ext }}', []],
    ['{{ kye }}.{{ ext }}', ['11:16 RL521']],
    ['a/{{ key }}/{{ nme }}', ['11:28 RL521']],
    ['/{{ key }}', ['11:16 RL521']],
    ['../{{ key }}', ['11:16 RL521']],
    ['a/./{{ key }}', ['11:18 RL521']],
    ['{{ key }', ['11:16 RL521']],
    ['{{ key }}:{{ ext }}', ['11:25 RL521']],
    ['{{ name }}_{{ index | pad(2) }}.{{ ext }}', []],
    ['{{ key }}_{{ index | pad }}.{{ ext }}', ['11:26 RL521']],
    ['{{ output }}.{{ ext }}', ['11:16 RL522']],
    ['{{ index | pad(2) }}.{{ ext }}', ['11:16 RL522']],
    ['picture.png', ['11:16 RL522']],
  ])('the file name %s causes the problems %j', (naming, places) => {
    expect(placesOf(withNaming(naming))).toEqual(places);
  });
});

describe('keys', () => {
  it.each([
    ['"{{ folder }}/{{ name }}"', []],
    ['"{{ path }}"', []],
    [`'asset.path.lowerAscii()'`, []],
    [`'asset.name.split("-")[0]'`, []],
    ['"{{ key }}"', ['8:7 RL521']],
    ['"all"', ['8:7 RL502']],
    [`'"all"'`, ['8:7 RL522']],
    [`'asset.bytes'`, ['8:7 RL503', '8:7 RL505']],
    [`'asset.key'`, ['8:7 RL505']],
    [`'model.id'`, ['8:7 RL505', '8:7 RL522']],
    ['"fixed{{ }}"', ['8:12 RL521']],
  ])('the key %s causes the problems %j', (key, places) => {
    expect(placesOf(`${withNodes()}\nkey: ${key}`).sort()).toEqual([...places].sort());
  });
});

describe('regular expressions', () => {
  const withRegex = (regex: string) =>
    withNodes(
      `{ id: look, type: template_match, parentIds: [take], config: { rules: [{ template: T,\n      regex: '${regex}' }] } }`,
    );
  it.each([
    ['^shoe-\\d+$', []],
    ['(a|b)c?', []],
    ['(a+)+', ['9:15 RL512']],
    ['(?=a)', ['9:15 RL512']],
    ['(a)\\1', ['9:18 RL512']],
    ['(a', ['9:15 RL512']],
  ])('the regular expression %s causes the problems %j', (regex, places) => {
    expect(placesOf(withRegex(regex))).toEqual(places);
  });
});
