// The tables of codes and spec lines next to the repository.
import { describe, expect, test } from 'vitest';
import { parsePantone } from '../../../../src/pantone/pantone-code.ts';
import { hasSharedData, sharedRows } from '../../../../test/glb/_shared-data.ts';
import { parseMethod } from '../../src/pantone/methods.ts';
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
    readonly inks: readonly { readonly kind: string }[];
    readonly method: string | null;
  };
}

describe.skipIf(!hasSharedData)('shared tables', () => {
  test.each(sharedRows<CodeRow>('pantone-codes.jsonl'))('code $raw', ({ raw, expect: wanted }) => {
    expect(parsePantone(raw)).toEqual(wanted);
  });

  test.each(sharedRows<LineRow>('ink-lines.jsonl'))('line $line', ({ line, expect: wanted }) => {
    const read = parseSpecLine(line);
    expect(read.size).toEqual(wanted.size);
    expect(read.colorCount).toBe(wanted.colorCount);
    // A place, and what is to be decided, are unknown inks for the platform.
    const inks = read.inks.filter(({ kind }) => kind !== 'unknown');
    expect(inks).toEqual(
      wanted.inks.flatMap((ink) => (ink.kind === 'unknown' ? [] : [expect.objectContaining(ink)])),
    );
    expect(read.method).toBe(wanted.method === null ? null : parseMethod(wanted.method));
  });
});
