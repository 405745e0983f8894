// Pages, filters and partial responses that all library lists share.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cleanName, findExtension } from '../../src/files/file-names.ts';
import { ApiFailure } from '../../src/http/failure.ts';
import { createItems } from '../../src/library/bulk-create.ts';
import { filterPage, findAll } from '../../src/library/item-list.ts';
import { listNewestFirst } from '../../src/state/table.ts';

const letters = ['a', 'b', 'c', 'd', 'e'];

describe('pages, newest first', () => {
  test.each([
    [50, 0, 'edcba'],
    [5, 0, 'edcba'],
    [2, 0, 'ed'],
    [2, 2, 'cb'],
    [2, 4, 'a'],
    [1, 4, 'a'],
    [2, 5, ''],
    [2, 9, ''],
    [100, 3, 'ba'],
  ])('the page with limit %d and offset %d is "%s"', (limit, offset, page) => {
    expect(listNewestFirst(letters, limit, offset).join('')).toBe(page);
  });

  test('consecutive pages contain each item once', () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), fc.integer({ min: 1, max: 7 }), (all, limit) => {
        const pages = Array.from({ length: Math.ceil(all.length / limit) + 1 }, (_, page) =>
          listNewestFirst(all, limit, page * limit),
        );
        expect(pages.flat()).toEqual(all.toReversed());
      }),
    );
  });
});

describe('filters of a list', () => {
  const items = [
    { id: '1', name: 'Oak Table', status: 'READY', collectionId: 'wood' },
    { id: '2', name: 'oak chair', status: 'FAILED', collectionId: 'wood' },
    { id: '3', name: 'Glass.*', status: 'READY' },
    { id: '4', name: 'Soak tub', status: 'READY', collectionId: 'bath' },
  ];
  test.each([
    [{}, ['4', '3', '2', '1'], 4],
    [{ status: 'READY' }, ['4', '3', '1'], 3],
    [{ status: 'ready' }, [], 0],
    [{ name: 'OAK' }, ['4', '2', '1'], 3],
    [{ name: '.*' }, ['3'], 1],
    [{ name: '' }, ['4', '3', '2', '1'], 4],
    [{ collectionId: 'wood' }, ['2', '1'], 2],
    [{ collectionId: 'none' }, [], 0],
    [{ collectionId: 'wood', name: 'oak', status: 'READY' }, ['1'], 1],
    // The total counts all matches, not only those of the page.
    [{ name: 'oak', limit: 1 }, ['4'], 3],
    [{ name: 'oak', limit: 1, offset: 2 }, ['1'], 3],
    [{ name: 'oak', offset: 3 }, [], 3],
  ])('the filter %j returns %j, with the total %d', (query, ids, total) => {
    const found = filterPage(items, { limit: 50, offset: 0, ...query }, ({ status }) => status);
    expect([found.page.map(({ id }) => id), found.total]).toEqual([ids, total]);
  });
});

describe('status requests', () => {
  const there = (id: string) => (letters.includes(id) ? id.toUpperCase() : undefined);
  test.each([
    [['b', 'a'], ['B', 'A'], []],
    [['a', 'a', 'x', 'x'], ['A'], ['x']],
    [['x', 'a', 'y'], ['A'], ['x', 'y']],
    [[], [], []],
  ])('a status request for %j finds %j and does not find %j', (ids, found, notFound) => {
    expect(findAll(ids, there)).toEqual({ found, notFound });
  });
});

describe('creating several items', () => {
  const make = (item: string) =>
    item.startsWith('!') ? { problem: `${item} is no good.` } : { name: item };
  test.each([
    [['a', 'b'], ['a', 'b'], undefined],
    [['a', '!x', 'b'], ['a', 'b'], ['!x is no good.']],
    [['!x', 'a', '!y'], ['a'], ['!x is no good.', '!y is no good.']],
  ])('a request for the items %j creates %j, with the errors %j', (items, names, errors) => {
    const answer = createItems(items, make);
    expect(answer.created).toEqual(names.map((name) => ({ name })));
    expect(answer.errors).toEqual(errors === undefined ? {} : { errors });
  });

  test('a request is refused with all reasons if no item can be created', () => {
    const message = '!x is no good. !y is no good.';
    expect(() => createItems(['!x', '!y'], make)).toThrow(
      new ApiFailure('VALIDATION_ERROR', message),
    );
  });
});

describe('file names', () => {
  test.each([
    ['oak_side-table v2.glb', 'oak side table v2', 'glb'],
    ['props\\sets/Wine%20Glass.FBX', 'Wine Glass', 'fbx'],
    ['a.b.c.png', 'a b c', 'png'],
    ['  two   blanks .tif', 'two blanks', 'tif'],
    ['one+two.jpeg', 'one two', 'jpeg'],
    ['.png', 'png', undefined],
    ['folder/.png', 'png', undefined],
    ['folder.d/name', 'name', undefined],
    ['name.', 'name', undefined],
    ['___.glb', '', 'glb'],
    ['Ärger_größe.webp', 'Ärger größe', 'webp'],
  ])(
    'the file name %j is split into the name "%s" and the type %s',
    (fileName, name, extension) => {
      expect([cleanName(fileName), findExtension(fileName)]).toEqual([name, extension]);
    },
  );
});
