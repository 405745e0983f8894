import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NameTable } from '../../src/store/objects/name-table.ts';

/**
 * Bytes of all buffers that are in use. Garbage of other tests is collected first, so that only the table makes a
 * difference. A collection frees buffers in the background and the next one waits for that, so several are needed.
 */
function heldBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let last = -1; ; ) {
    collect();
    collect();
    const { arrayBuffers } = process.memoryUsage();
    if (arrayBuffers === last) return last;
    last = arrayBuffers;
  }
}

const beforeAt = (name: string) => name.split('@')[0] ?? '';
const name = fc.oneof(
  fc.stringMatching(/^[ab]{0,3}@[12]{0,2}$/),
  fc.string({ unit: 'binary', maxLength: 600 }),
);

describe('a table of names', () => {
  it('the table finds the same names as a Map, and returns all names in the order in which they were added', () => {
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
          for (const key of [...names, ...others].map(beforeAt)) {
            expect(table.find(key)).toBe(first.get(key) ?? null);
          }
        },
      ),
    );
  });

  it('the table stores a hundred thousand names in less than 100 bytes each', () => {
    const table = new NameTable();
    const nameOf = (at: number) =>
      `season-${at % 100}+chair-${at}@1a2b-mm7irhc0.${at * 7_919}~aaaaaaaa.json`;
    const before = heldBytes();
    for (let at = 0; at < 100_000; at += 1) table.add(nameOf(at));
    const bytesPerName = (heldBytes() - before) / 100_000;
    // Four bytes in each of two hash tables with free slots, and the part of the name that differs.
    expect(bytesPerName).toBeGreaterThan(15);
    expect(bytesPerName).toBeLessThan(100);
    for (let at = 0; at < 100_000; at += 997) expect(table.has(nameOf(at))).toBe(true);
    expect(table.has(nameOf(100_000))).toBe(false);
  });
});
