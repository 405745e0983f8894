// A file name may contain the variant, bookmark or shot only if exactly one was requested.
import { describe, expect, it } from 'vitest';
import { compile, placesOf, planOf, withNodes } from './_compile.ts';

const ready = '{ id: ready, type: model_ready, parentIds: [take] }';
const rule = '{ matchText: body, matchMode: contains, material: Oak }';
const variant = (choose: string, more = '') =>
  `{ id: v, type: variant, parentIds: [ready]${more}, config: { swapRules: [${rule}], choose: ${choose} } }`;
const shots = (settings: string, parent = 'ready') =>
  `{ id: s, type: render, parentIds: [${parent}], config: { settings: ${settings} } }`;
const named = (field: string) =>
  `{ id: e, type: export, parentIds: [s], config: { connector: out, naming: "{{ key }} {{ ${field} }}" } }`;

const messages = (...nodes: string[]) =>
  compile(withNodes(...nodes))
    .problems.filter(({ code }) => code === 'RL523')
    .map(({ message }) => message);

describe('fields that a file name may contain', () => {
  it.each([
    ['the one new variant', 'variant', [variant('new'), shots('{}', 'v')]],
    ['a variant by name', 'variant', [variant('{ names: [Red] }'), shots('{}', 'v')]],
    ['one bookmark', 'bookmark', [shots('{ bookmarksToRender: [b], renderShots: false }')]],
    ['one shot', 'shot', [shots('{ shotsToRender: [s], renderBookmarks: false }')]],
    [
      'a bookmark by parameter',
      'bookmark',
      [shots('{ bookmarksToRender: ["${{ params.b }}"], renderShots: false }')],
    ],
  ])('a file name may contain a requested field: %s', (_, field, nodes) => {
    const text = withNodes(ready, ...nodes, named(field)).replace(
      'connectors:',
      nodes[0]?.includes('params.b')
        ? 'parameters: { b: { type: string, required: true } }\nconnectors:'
        : 'connectors:',
    );
    expect(placesOf(text)).toEqual([]);
  });
});

describe('fields that a file name may not contain', () => {
  it.each([
    [
      'variant',
      [shots('{}')],
      /some assets may reach this node without exactly one variant from a variant node/,
    ],
    ['variant', [variant('all'), shots('{}', 'v')], /"v" chooses all variants/],
    [
      'variant',
      [variant('new', ', when: asset.bytes > 1'), shots('{}', 'v, ready')],
      /some assets may reach this node/,
    ],
    ['bookmark', [shots('{}')], /"s" does not request exactly one bookmark \(bookmarksToRender\)/],
    ['bookmark', [shots('{ bookmarksToRender: [a, b], renderShots: false }')], /one bookmark/],
    ['bookmark', [shots('{ bookmarksToRender: [a] }')], /also renders shots \(renderShots: false/],
    ['shot', [shots('{ shotsToRender: [a] }')], /also renders bookmarks/],
  ])('a file name may not contain the %s after %j', (field, nodes, message) => {
    const found = messages(ready, ...nodes, named(field));
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(message);
  });

  it('a field that was not requested is reported at its position', () => {
    expect(placesOf(withNodes(ready, shots('{}'), named('variant')))).toEqual(['10:89 RL523']);
  });
});

describe('the condition of one variant', () => {
  it.each([
    [named('variant'), true],
    [named('index'), false],
  ])('a file name requires one variant in %s: %s', (node, one) => {
    const { steps } = planOf(withNodes(ready, variant('new'), shots('{}', 'v'), node));
    expect(steps.find(({ id }) => id === 'v')?.config).toMatchObject({ one });
  });
});
