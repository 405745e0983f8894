// Text with CEL in double braces.
import { Environment } from '@marcbachmann/cel-js';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { toExpressionScope } from '../../src/language/expressions.ts';
import { findUnpairedBraces } from '../../src/language/naming/placeholders.ts';
import { evaluateTemplate, findExpressions } from '../../src/language/value-template.ts';
import { placesOf, withNodes } from '../compile/_compile.ts';

const source = { path: 'shoes/red.glb', bytes: 7, mtimeMs: 0, version: '1' };
const scope = toExpressionScope(
  {
    key: 'shoes/red',
    source: { ...source, row: { values: { width: null } } },
    platformIds: { modelId: 'm1' },
  },
  { size: 3 },
);

describe('text with expressions', () => {
  it.each<[string, unknown]>([
    ['plain', 'plain'],
    ['{{ asset.name }}', 'red'],
    ['{{asset.bytes}}', 7],
    ['  {{ asset.bytes > 1 }}  ', true],
    ['{{ asset.folder }}/{{ asset.name }}', 'shoes/red'],
    ['no {{ params.size }} of {{ model.id }}', 'no 3 of m1'],
    ['{{ row.width }}', ''],
    ['width: {{ row.width }}', 'width: '],
    ['{{ row.width == null }}', true],
    ['{ single }', '{ single }'],
  ])('the text %j becomes %j', (text, value) => {
    expect(evaluateTemplate(text, scope)).toBe(value);
  });

  it.each(['{{ asset }}', 'in {{ asset.path.split("/") }}', '{{ {"a": 1} }}', '{{ type(1) }}'])(
    'the text %j fails, because a value has no text',
    (text) => {
      expect(() => evaluateTemplate(text, scope)).toThrow('its result is not text');
    },
  );

  it('durations, times and lists that are joined have a text', () => {
    const text =
      '{{ duration("90s") }} {{ asset.modifiedAt }} {{ asset.path.split("/").join("-") }}';
    expect(evaluateTemplate(text, scope)).toBe('90s 1970-01-01T00:00:00.000Z shoes-red.glb');
  });

  it('a text is compiled once for all assets', () => {
    const parse = vi.spyOn(Environment.prototype, 'parse');
    onTestFinished(() => parse.mockRestore());
    for (let asset = 0; asset < 100; asset++) evaluateTemplate('{{ asset.name + ".once" }}', scope);
    expect(parse).toHaveBeenCalledOnce();
  });

  it('the positions of expressions in a text are reported', () => {
    expect(findExpressions('a {{ b }}{{c}}')).toEqual([
      { source: 'b', start: 5 },
      { source: 'c', start: 11 },
    ]);
  });

  it.each([
    ['a {{ b', 2],
    ['b }} c', 2],
    ['{{ a }}', undefined],
  ])('the first unpaired brace in the text %j is at %s', (text, at) => {
    expect(findUnpairedBraces(text)?.start).toBe(at);
  });
});

describe('values of set_properties', () => {
  const mark = (values: string) =>
    withNodes(
      `{ id: mark, type: set_properties, parentIds: [take], config: { values: ${values} } }`,
    );

  it.each<[string, string, string[]]>([
    [
      'values of every kind',
      '{ A: x, B: 1, C: [x, "{{ asset.name }}"], D: null, E: "{{ model.id }}" }',
      [],
    ],
    ['no values', '{}', ['8:76 RL204']],
    ['a mapping', '{ A: { b: 1 } }', ['8:81 RL204']],
    ['an invalid expression', '{ A: "{{ asset. }}" }', ['8:90 RL501']],
    ['an unknown field', '{ A: "in {{ asset.nam }}" }', ['8:94 RL502']],
    ['a value that is not yet known', '{ A: "{{ project.id }}" }', ['8:85 RL505']],
    ['a variable instead of one of its fields', '{ A: "of {{ asset }}" }', ['8:88 RL503']],
    ['a list', `{ A: '{{ asset.path.split("/") }}' }`, ['8:85 RL503']],
    ['an unpaired brace', '{ A: "{{ asset.name" }', ['8:82 RL501']],
    ['an undeclared parameter', '{ A: [x, "{{ params.z }}"] }', ['8:96 RL304']],
  ])(
    'values of set_properties are accepted, or refused at their position: %s',
    (_, values, places) => {
      expect(placesOf(mark(values))).toEqual(places);
    },
  );
});
