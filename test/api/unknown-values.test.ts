// The fields of any value of unknown shape can be read safely.
import { describe, expect, it } from 'vitest';
import { asRecord, isObject } from '../../src/api/unknown-values.ts';

describe('fields of a value of unknown type', () => {
  const failure = Object.assign(new Error('gone'), { code: 5 });
  it.each<[string, unknown, unknown]>([
    ['an object', { code: 5 }, 5],
    ['an error with a code', failure, 5],
    ['an object without that field', { status: 5 }, undefined],
    ['a list', [{ code: 5 }], undefined],
    ['a string', 'code', undefined],
    ['a number', 5, undefined],
    ['null', null, undefined],
    ['undefined', undefined, undefined],
  ])('a field of %s has the expected value', (_name, value, code) => {
    expect(asRecord(value)['code']).toBe(code);
  });

  it('the fields of a list are not read, since it is not an object', () => {
    expect([isObject([]), isObject({})]).toEqual([false, true]);
  });
});
