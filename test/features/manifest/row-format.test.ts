// The bytes of a manifest in each of its formats.
import { describe, expect, test } from 'vitest';
import {
  type FormatOptions,
  rowFormatOf,
} from '../../../src/features/delivery/manifest/row-format.ts';

function textOf(path: string, more: Partial<FormatOptions>, ...rows: (string | number | null)[][]) {
  const plain = { headings: ['SKU', 'Bytes'], delimiter: ',', bom: false };
  const { start, row, end } = rowFormatOf({ ...plain, ...more, path });
  return [start, ...rows.map((cells, at) => row(cells, at === 0)), end].join('');
}

describe('a CSV', () => {
  test('has lines that end as RFC 4180 says, and quotes where they are needed', () => {
    const text = textOf('m.csv', {}, ['A,1', 5], ['say "x"', 6], ['two\nlines', 7], ['', null]);
    expect(text).toBe('SKU,Bytes\r\n"A,1",5\r\n"say ""x""",6\r\ntwo lines,7\r\n,\r\n');
  });

  test.each([
    [';', 'A;1', '"A;1"'],
    ['\t', 'A\t1', 'A 1'],
    ['\t', 'A,1', '"A,1"'],
  ])('is separated by %j, also where %j holds it', (delimiter, sku, cell) => {
    expect(textOf('m.csv', { delimiter }, [sku, 5])).toBe(
      `SKU${delimiter}Bytes\r\n${cell}${delimiter}5\r\n`,
    );
  });

  test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '＝1'])('runs no formula: %j', (sku) => {
    expect(textOf('m.csv', {}, [sku, 5])).toMatch(/\r\n'.*,5\r\n$/);
  });

  test('keeps numbers as they are', () => {
    expect(textOf('m.csv', {}, ['A', -5])).toBe('SKU,Bytes\r\nA,-5\r\n');
  });

  test('begins with a byte order mark if Excel is to open it', () => {
    expect(textOf('m.csv', { bom: true })).toBe('\uFEFFSKU,Bytes\r\n');
  });
});

describe('JSON', () => {
  test('is an array of objects with typed values', () => {
    const text = textOf('m.json', {}, ['=A', 5], ['B', null]);
    expect(JSON.parse(text)).toEqual([
      { SKU: '=A', Bytes: 5 },
      { SKU: 'B', Bytes: null },
    ]);
    expect(text.split('\n')).toHaveLength(5);
  });

  test('is an empty array without files', () => {
    expect(JSON.parse(textOf('m.json', {}))).toEqual([]);
  });

  test('has an object in each line as .jsonl', () => {
    expect(textOf('m.jsonl', {}, ['A', 5], ['B', 6])).toBe(
      '{"SKU":"A","Bytes":5}\n{"SKU":"B","Bytes":6}\n',
    );
  });
});
