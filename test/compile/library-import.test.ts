// `library_import` in a file, and what is refused.
import { describe, expect, it } from 'vitest';
import { compile, planOf } from './_compile.ts';

const file = (config: string, more = '') => `name: test
connectors: { files: { type: local, path: files } }
records: files
nodes:
  - { id: library, type: library_import, config: { connector: files, ${config} } }
${more}`;

const errorsOf = (text: string) =>
  compile(text)
    .problems.filter(({ severity }) => severity === 'error')
    .map(({ code, line }) => `${code} line ${line}`);

describe('library_import', () => {
  it('the node becomes an import and a wait for processing', () => {
    const { steps } = planOf(file('decals: { include: ["**"] }'));
    expect(steps.map(({ id, mode, batch }) => [id, mode, batch])).toEqual([
      ['library', 'call', 50],
      ['library.complete', 'wait', 250],
    ]);
  });

  it('the recipe is the same whatever is imported, so that no item is imported twice', () => {
    const one = planOf(file('decals: { include: ["a/**"] }'));
    const other = planOf(file('decals: { include: ["b/**"], collection: Logos }'));
    expect(other.recipe).toBe(one.recipe);
  });

  it.each<[string, string, string[]]>([
    ['a missing kind', file(''), ['RL204 line 5']],
    ['a kind without files', file('decals: {}'), ['RL202 line 5']],
    ['an unknown kind', file('props: { include: [a] }, decal: { include: [a] }'), ['RL201 line 5']],
    ['an invalid glob', file('props: { include: ["a["] }'), ['RL511 line 5']],
    [
      'a collection named by an unknown value',
      file('props: { include: [a], collection: "{{ project.id }}" }'),
      ['RL505 line 5'],
    ],
    [
      'later nodes that need a model',
      file('props: { include: [a] }', '  - { id: shots, type: render, parentIds: [library] }'),
      ['RL407 line 6'],
    ],
  ])('the node is refused with %s', (_what, text, expected) => {
    expect(errorsOf(text)).toEqual(expected);
  });
});
