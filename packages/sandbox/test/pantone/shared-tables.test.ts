// Pantone codes and spec lines from the shared data tables, which are next to the repository.
import { describe, expect, test } from 'vitest';
import { parsePantone } from '../../../../src/pantone/pantone-code.ts';
import { hasSharedData, sharedRows } from '../../../../test/glb/_shared-data.ts';
import { parseSpecLine } from '../../src/pantone/spec-line.ts';

interface CodeRow {
  readonly raw: string;
  readonly expect: object;
}

interface LineRow {
  readonly line: string;
  readonly expect: {
    readonly size: object | null;
    readonly colorCount: number | null;
    readonly inks: readonly object[];
    readonly method: string | null;
    readonly location?: string;
    readonly issues: readonly string[];
  };
}

describe.skipIf(!hasSharedData)('shared tables', () => {
  test.each(sharedRows<CodeRow>('pantone-codes.jsonl'))(
    'the code $raw is parsed as stated in the table',
    ({ raw, expect: wanted }) => {
      expect(parsePantone(raw)).toEqual(wanted);
    },
  );

  test.each(sharedRows<LineRow>('ink-lines.jsonl'))(
    'the spec line $line is parsed as stated in the table',
    ({ line, expect: wanted }) => {
      const read = parseSpecLine(line);
      expect(read.size).toEqual(wanted.size);
      expect(read.colorCount).toBe(wanted.colorCount);
      const inks = read.inks.map(({ raw, kind, canonical }) => ({
        raw,
        kind,
        ...(canonical === undefined ? {} : { canonical }),
      }));
      expect(inks).toEqual(wanted.inks);
      expect(read.method?.name ?? null).toBe(wanted.method);
      expect(read.location).toBe(wanted.location ?? null);
      expect([...read.issues].sort()).toEqual([...wanted.issues].sort());
    },
  );
});
