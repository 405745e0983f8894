// The cache of pages in a process: the most recently used ones, up to a size.
import { expect, test } from 'vitest';
import { type ShardPage, ShardPageCache } from '../../src/store/runs/shard-pages.ts';

const mebibyte = 1024 ** 2;
/** Everything that is stored. */
const room = 32 * mebibyte;
const page = (node: string): ShardPage => ({
  schema: 'renderline/shard-page/v1',
  node,
  updates: [],
});

/** Puts pages of this size, each with its node, and returns the ones that are cached in the end. */
function kept(...steps: ({ put: string; bytes: number } | { get: string })[]): string[] {
  const pages = new ShardPageCache();
  const known = new Set<string>();
  for (const step of steps) {
    if ('get' in step) {
      pages.get(step.get);
      continue;
    }
    known.add(step.put);
    pages.put(step.put, page(step.put), step.bytes);
  }
  return [...known].filter((node) => pages.get(node)?.node === node);
}

const half = { bytes: room / 2 };

test.each<[string, Parameters<typeof kept>, string[]]>([
  [
    'all for which there is room',
    [
      { put: 'a', ...half },
      { put: 'b', ...half },
    ],
    ['a', 'b'],
  ],
  [
    'the last ones where there is room for no more',
    [
      { put: 'a', ...half },
      { put: 'b', ...half },
      { put: 'c', bytes: 1 },
    ],
    ['b', 'c'],
  ],
  [
    'those that were used last',
    [{ put: 'a', ...half }, { put: 'b', ...half }, { get: 'a' }, { put: 'c', bytes: 1 }],
    ['a', 'c'],
  ],
  [
    'many after others had to go: their room is free again',
    [
      { put: 'a', bytes: room },
      { put: 'b', ...half },
      { put: 'c', ...half },
    ],
    ['b', 'c'],
  ],
  [
    'one that is put again, which takes its room once',
    [
      { put: 'a', ...half },
      { put: 'a', ...half },
      { put: 'b', ...half },
    ],
    ['a', 'b'],
  ],
  ['none that is larger than all of the room', [{ put: 'a', bytes: room + 1 }], []],
])('%s', (_what, steps, expected) => {
  expect(kept(...steps)).toEqual(expected);
});
