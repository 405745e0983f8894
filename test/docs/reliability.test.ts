// The table of faults is complete, and each fault names an existing test.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const rows = readFileSync(`${root}/docs/reliability.md`, 'utf8')
  .split('\n')
  .filter((line) => /^\| F\d+ \|/.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()));

it('the faults are numbered without gaps, and there are at least 77', () => {
  const expected = Array.from({ length: rows.length }, (_, index) => `F${index + 1}`);
  expect(rows.map(([, name]) => name)).toEqual(expected);
  expect(rows.length).toBeGreaterThanOrEqual(77);
});

it.each(rows)('the row %s %s lists existing tests', (...row) => {
  const tests = [...(row[4] ?? '').matchAll(/`([\w/-]+)`/g)].map(([, name]) => name ?? '');
  expect(tests.length).toBeGreaterThan(0);
  const missing = tests.filter((name) => !existsSync(`${root}/test/${name}.test.ts`));
  expect(missing).toEqual([]);
});
