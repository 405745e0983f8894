import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRunId, slug } from '../../../src/app/runs/run-id.ts';

const at = Date.UTC(2026, 10, 21, 9, 5, 7);

test('a run id contains the pipeline, the UTC time and four random digits', () => {
  const id = createRunId('Catalog Variants', at, Buffer.from([0xab, 0x01]));
  expect(id).toBe('catalog-variants-20261121-090507-ab01');
});

test('run ids of the same second differ', () => {
  const ids = new Set(Array.from({ length: 20 }, () => createRunId('a', at)));
  expect(ids.size).toBeGreaterThan(15);
});

test.each([
  ['Crème brûlée', 'creme-brulee'],
  ['a/b\\c', 'a-b-c'],
  ['  --x--  ', 'x'],
  ['日本', 'run'],
  ['', 'run'],
])('the slug of %j is %s', (name, expected) => {
  expect(slug(name)).toBe(expected);
});

test('the id is short and plain, whatever the name of the pipeline', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (name) => {
      expect(createRunId(name, at)).toMatch(/^[a-z0-9][a-z0-9-]{0,79}$/);
    }),
  );
});
