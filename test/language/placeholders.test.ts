// Double braces are found in one pass, and there are not too many of them.
import { describe, expect, it, vi } from 'vitest';
import { maxPlaceholders, placeholdersIn } from '../../src/language/naming/placeholders.ts';
import { placesOf, withNodes } from '../compile/_compile.ts';

describe('what stands between braces', () => {
  it.each([
    ['a {{ b }}{{c}}', ['b', 'c'], -1, -1],
    ['{{ a {{ b }} c }}', ['a {{ b'], -1, 15],
    ['{{ a', [], 0, -1],
    ['a }} {{ b', [], 5, 2],
    ['{{}}', [''], -1, -1],
    ['{{{ a }}}', ['{ a'], -1, -1],
  ])('%s', (text, sources, unclosed, unopened) => {
    const { found, ...lone } = placeholdersIn(text, '{{');
    expect(found.map(({ source }) => source)).toEqual(sources);
    expect(lone).toEqual({ unclosed, unopened });
    for (const { source, sourceStart } of found)
      expect(text.startsWith(source, sourceStart)).toBe(true);
  });

  /** Each was searched anew from every one of its braces. */
  it.each([
    ['beginnings', '{{'.repeat(5_000), 0],
    ['ends', '}}'.repeat(5_000), 0],
    ['a beginning and blanks', `{{${' '.repeat(9_000)}`, 0],
    ['pairs', '{{}}'.repeat(2_500), 2_500],
    ['beginnings with one end', `${'{{'.repeat(4_999)}}}`, 1],
  ])('%s are looked through once', (_, text, pairs) => {
    const searches = vi.spyOn(String.prototype, 'indexOf');
    const { found } = placeholdersIn(text, '{{');
    const count = searches.mock.calls.length;
    searches.mockRestore();
    expect(found).toHaveLength(pairs);
    expect(count).toBeLessThanOrEqual(3 * (pairs + 1));
  });
});

describe('too many of them', () => {
  const render =
    '{ id: r, type: render, parentIds: [ready], config: { settings: { renderShots: false } } }';
  const named = (naming: string) =>
    withNodes(
      '{ id: ready, type: model_ready, parentIds: [take] }',
      render,
      `{ id: e, type: export, parentIds: [r], config: { connector: out, naming: "${naming}" } }`,
    );
  const valued = (value: string) =>
    withNodes(
      `{ id: p, type: set_properties, parentIds: [take], config: { values: { A: "${value}" } } }`,
    );

  it.each([
    ['in a name', named(`{{key}}${'{{ext}}'.repeat(100)}`), '10:779 RL521'],
    ['in a value', valued('{{1}}'.repeat(101)), '8:579 RL501'],
    ['in a text with parameters', valued('${{params.a}}'.repeat(101)), '8:1379 RL306'],
  ])('%s', (_, text, place) => {
    expect(placesOf(text)).toEqual([place]);
  });

  it('as many as there may be are none too many', () => {
    expect(placesOf(named(`{{key}}${'{{ext}}'.repeat(maxPlaceholders - 1)}`))).toEqual([]);
  });
});
