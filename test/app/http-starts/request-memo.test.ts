// Runs of requests. Equal keys lead to equal run ids, and equal requests to equal fingerprints.
import { describe, expect, test } from 'vitest';
import { createRequestedRunId, fingerprintOf } from '../../../src/app/http-starts/start-by-http.ts';

describe('the id of a run', () => {
  test.each(['Shop', 'ü', 'a'.repeat(63)])('the id of a run of %s is valid in commands', (name) => {
    expect(createRequestedRunId(name, 'q', 'key')).toMatch(/^[a-z0-9][a-z0-9-]{0,79}$/);
  });

  test('the id is the same for the same key, and differs for another key, pipeline or task queue', () => {
    const ids = [
      ['shop', 'q', 'key'],
      ['shop', 'q', 'Key'],
      ['shop', 'q2', 'key'],
      ['Shop', 'q', 'key'],
      ['shop', 'q', 'key '],
    ].map(([name = '', queue = '', key = '']) => createRequestedRunId(name, queue, key));
    expect(new Set(ids).size).toBe(5);
    expect(createRequestedRunId('shop', 'q', 'key')).toBe(ids[0]);
  });
});

describe('the fingerprint of a request', () => {
  const of = (parameters: Record<string, string | number | boolean>, only?: string[]) =>
    fingerprintOf({ parameters, only });

  test.each<[string, string, string, boolean]>([
    ['ignores the order of names', of({ a: 1, b: 2 }), of({ b: 2, a: 1 }), true],
    ['depends on a value', of({ a: 1 }), of({ a: 2 }), false],
    ['depends on the type of a value', of({ a: 1 }), of({ a: '1' }), false],
    ['depends on a name', of({ a: 1 }), of({ b: 1 }), false],
    ['depends on the selection', of({}, ['a']), of({}, ['b']), false],
    ['depends on whether there is a selection', of({}), of({}, ['a']), false],
  ])('the fingerprint %s', (_what, one, other, isSame) => {
    expect(one === other).toBe(isSame);
  });
});
