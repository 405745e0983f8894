import { expect, test } from 'vitest';
import {
  canReuseWork,
  contentVersionOf,
  isSameSource,
  sourceOf,
} from '../../src/store/records/source-version.ts';

const entry = { path: 'a.glb', bytes: 36, mtimeMs: 72 };
const plain = sourceOf(entry).version;
const seen = sourceOf({ ...entry, changedMs: 80 }).version;
const later = sourceOf({ ...entry, changedMs: 90 }).version;
const compared = contentVersionOf(seen, 'abcdef0123456789');

test('a version contains the size and time of a file, and the time of its last change in the store', () => {
  expect([plain, seen, compared]).toEqual(['10-20', '10-20.28', '10-20.xabcdef01']);
});

test.each([
  [plain, plain, true, true],
  [plain, seen, true, true],
  [seen, plain, true, true],
  [seen, later, false, false],
  // Without a store clock, a compared file looks unchanged, but earlier work belongs to the other content.
  [compared, plain, true, true],
  [plain, compared, true, false],
  [compared, compared, true, true],
  ['10-20', '10-21', false, false],
])(
  'a file whose version changes from %s to %s is the same source: %s, and its work is reusable: %s',
  (before, now, isSame, isBuilt) => {
    expect([isSameSource(before, now), canReuseWork(before, now)]).toEqual([isSame, isBuilt]);
  },
);
