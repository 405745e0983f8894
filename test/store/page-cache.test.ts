// The cache of pages in a process: it keeps the most recently used pages, up to a size.
import { expect, test } from 'vitest';
import { type ShardPage, ShardPageCache } from '../../src/store/runs/shard-pages.ts';

const mebibyte = 1024 ** 2;
/** The size limit of the cache. */
const room = 32 * mebibyte;
const page = (node: string): ShardPage => ({
  node,
  updates: [],
});

/**
 * Puts pages of this size, each with its node.
 * @returns the pages that are cached after the last step
 */
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
    'keeps all pages that fit',
    [
      { put: 'a', ...half },
      { put: 'b', ...half },
    ],
    ['a', 'b'],
  ],
  [
    'keeps the last pages if more do not fit',
    [
      { put: 'a', ...half },
      { put: 'b', ...half },
      { put: 'c', bytes: 1 },
    ],
    ['b', 'c'],
  ],
  [
    'keeps the most recently used pages',
    [{ put: 'a', ...half }, { put: 'b', ...half }, { get: 'a' }, { put: 'c', bytes: 1 }],
    ['a', 'c'],
  ],
  [
    'frees the size of pages that it drops',
    [
      { put: 'a', bytes: room },
      { put: 'b', ...half },
      { put: 'c', ...half },
    ],
    ['b', 'c'],
  ],
  [
    'counts the size of a page once if it is put again',
    [
      { put: 'a', ...half },
      { put: 'a', ...half },
      { put: 'b', ...half },
    ],
    ['a', 'b'],
  ],
  ['does not keep a page that is larger than the limit', [{ put: 'a', bytes: room + 1 }], []],
])('the cache %s', (_what, steps, expected) => {
  expect(kept(...steps)).toEqual(expected);
});
