// A table has a bound on its cells and rows before a parser works on it: tens of megabytes of commas must not kill a worker.
import { expect, it } from 'vitest';
import { cellsAtMost, readTable } from '../../src/capabilities/variants/grid/table.ts';

const head = 'model,colorway,slot,material\n';
const row = 'oslo,Oak,seat,Walnut\n';
const many = cellsAtMost + 1;

it.each([
  ['of one row of commas', 'a.csv', ','.repeat(many)],
  ['of rows of commas', 'a.csv', head + row + ',,,\n'.repeat(many / 4)],
  ['of empty lines', 'a.csv', head + row + '\n'.repeat(many)],
  ['of semicolons and tabs', 'a.csv', ';\t'.repeat(many / 2)],
  ['of empty objects', 'a.jsonl', '{}\n'.repeat(many)],
])('a table %s is refused', (_, path, text) => {
  expect(() => readTable(text, path)).toThrow(/more than 2000000 cells; delete rows and columns/);
});

it.each([
  ['a.csv', `${head}oslo,Oak,seat,${'x'.repeat(30_000)}`, /record|size/i],
  ['a.jsonl', `{"model":"${'x'.repeat(30_000)}"}`, /line 1: is longer than 20000 characters/],
])('a row of %s that is too long is refused', (path, text, message) => {
  expect(() => readTable(text, path)).toThrow(message);
});

it('a table with many empty cells is read', () => {
  const table = readTable(head + row + ',,,\n'.repeat(50_000), 'a.csv');
  expect(table).toMatchObject([{ model: 'oslo', colorway: 'Oak' }]);
});
