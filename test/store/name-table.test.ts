import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NameTable } from '../../src/store/objects/name-table.ts';

const beforeAt = (name: string) => name.split('@')[0] ?? '';
const name = fc.oneof(
  fc.stringMatching(/^[ab]{0,3}@[12]{0,2}$/),
  fc.string({ unit: 'binary', maxLength: 600 }),
);

describe('a table of names', () => {
  it('finds the same names as a Map, and returns all in the order in which they were added', () => {
    fc.assert(
      fc.property(
        fc.array(name, { maxLength: 80 }),
        fc.array(name, { maxLength: 10 }),
        (names, others) => {
          const table = new NameTable(beforeAt);
          const first = new Map<string, string>();
          for (const one of names) {
            table.add(one);
            if (!first.has(beforeAt(one))) first.set(beforeAt(one), one);
          }
          expect([...table.names()]).toEqual(names);
          expect(table.size).toBe(names.length);
          for (const key of [...names, ...others].map(beforeAt)) {
            expect(table.find(key)).toBe(first.get(key) ?? null);
          }
        },
      ),
    );
  });

  it('stores a hundred thousand names in less than 100 bytes each', () => {
    const table = new NameTable();
    const nameOf = (at: number) =>
      `season-${at % 100}+chair-${at}@1a2b-mm7irhc0.${at * 7_919}~aaaaaaaa.json`;
    const before = process.memoryUsage().arrayBuffers;
    for (let at = 0; at < 100_000; at += 1) table.add(nameOf(at));
    const bytes = process.memoryUsage().arrayBuffers - before;
    expect(bytes / 100_000).toBeLessThan(100);
    for (let at = 0; at < 100_000; at += 997) expect(table.has(nameOf(at))).toBe(true);
    expect(table.has(nameOf(100_000))).toBe(false);
  });
});
