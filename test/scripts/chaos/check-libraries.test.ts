// The check of a round's library items.
import { expect, test } from 'vitest';
import { claim, found, guid, type Parts } from './_evidence.ts';

const key = 'props/vase';
const item = { id: 'i', name: key, file: { sha256: 'source' } };
const record = { key, platformIds: { propId: 'i' }, files: [] };
const library = {
  name: 'library',
  sources: new Map([[key, ['source']]]),
  temporary: [],
  records: [record],
  claims: [],
};
const parts = (items: object[], more: object = {}, run: Parts['run'] = {}): Parts => ({
  platformState: { items: items as never },
  rest: { libraries: [{ ...library, ...more }] },
  run,
});
const twice = (call: string) => ({
  warnings: [{ key, message: `${call}, so its work may have been done, and counted, twice` }],
});

test.each<[string, Parts]>([
  ['an item for each file', parts([item])],
  ['foreign items', parts([item, { id: 'm', name: 'Red of stills' }])],
  [
    'a material, whose file is its texture',
    parts([{ id: 'i', name: 'vase', textures: { diffuse: { file: { sha256: 'source' } } } }]),
  ],
  [
    'a second item that a warning mentions',
    parts([item, { ...item, id: guid }], {}, twice(`createProps was sent again, and prop ${guid}`)),
  ],
])('no violation is found for %s', (_what, given) => {
  expect(found(given)).toEqual([]);
});

test.each<[string, Parts, string]>([
  ['a duplicate item', parts([item, { ...item, id: 'j' }]), 'I1 2 items for props/vase: i, j'],
  [
    'a duplicate item, with a warning about renders',
    parts([item, { ...item, id: 'j' }], {}, twice('createRenders was sent again')),
    'I1 2 items for props/vase: i, j',
  ],
  ['a file without a record', parts([item], { records: [] }), 'I4 library/props/vase: lost'],
  ['two records', parts([item], { records: [record, record] }), 'I4 library/props/vase: 2 records'],
  [
    'a missing item',
    parts([{ ...item, deleted: true }]),
    'I4 library/props/vase: item "i" is not on the platform',
  ],
  [
    'an item with another file',
    parts([{ ...item, file: { sha256: 'other' } }]),
    'I4 library/props/vase: i is of another content',
  ],
  ['a claim of a run that has ended', parts([item], { claims: [{ ...claim, key }] }), 'I4 library'],
  ['a temporary file', parts([item], { temporary: ['.rl-1'] }), 'I4 library: temporary file .rl-1'],
])('a violation is found: %s', (_what, given, expected) => {
  expect(found(given)).toEqual([expect.stringContaining(expected)]);
});
