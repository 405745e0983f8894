// Double braces are found in one pass, and their number is limited.
import { describe, expect, it, vi } from 'vitest';
import { findPlaceholders, maxPlaceholders } from '../../src/language/naming/placeholders.ts';
import { placesOf, withNodes } from '../compile/_compile.ts';

describe('text between braces', () => {
  it.each([
    ['a {{ b }}{{c}}', ['b', 'c'], -1, -1],
    ['{{ a {{ b }} c }}', ['a {{ b'], -1, 15],
    ['{{ a', [], 0, -1],
    ['a }} {{ b', [], 5, 2],
    ['{{}}', [''], -1, -1],
    ['{{{ a }}}', ['{ a'], -1, -1],
  ])('the text "%s" is split at its braces', (text, sources, unclosed, unopened) => {
    const { placeholders, ...lone } = findPlaceholders(text, '{{');
    expect(placeholders.map(({ source }) => source)).toEqual(sources);
    expect(lone).toEqual({ unclosed, unopened });
    for (const { source, sourceStart } of placeholders)
      expect(text.startsWith(source, sourceStart)).toBe(true);
  });

  /** Texts that a naive search would scan again from each of their braces. */
  it.each([
    ['opening braces', '{{'.repeat(5_000), 0],
    ['closing braces', '}}'.repeat(5_000), 0],
    ['spaces after opening braces', `{{${' '.repeat(9_000)}`, 0],
    ['pairs', '{{}}'.repeat(2_500), 2_500],
    ['opening braces with one closing pair', `${'{{'.repeat(4_999)}}}`, 1],
  ])('many %s are scanned once', (_, text, pairs) => {
    const searches = vi.spyOn(String.prototype, 'indexOf');
    const { placeholders } = findPlaceholders(text, '{{');
    const count = searches.mock.calls.length;
    searches.mockRestore();
    expect(placeholders).toHaveLength(pairs);
    expect(count).toBeLessThanOrEqual(3 * (pairs + 1));
  });
});

describe('too many placeholders', () => {
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
    ['in a name are refused', named(`{{key}}${'{{ext}}'.repeat(100)}`), '10:779 RL521'],
    ['in a value are refused', valued('{{1}}'.repeat(101)), '8:579 RL501'],
    ['in a text with parameters are refused', valued('${{params.a}}'.repeat(101)), '8:1379 RL306'],
  ])('too many placeholders %s', (_, text, place) => {
    expect(placesOf(text)).toEqual([place]);
  });

  it('the maximum number of placeholders is accepted', () => {
    expect(placesOf(named(`{{key}}${'{{ext}}'.repeat(maxPlaceholders - 1)}`))).toEqual([]);
  });
});
