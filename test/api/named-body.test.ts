// Bodies that a pipeline file defines: which values are inserted, and where.
import { describe, expect, it } from 'vitest';
import { fillBody, findBodyFields } from '../../src/api/requests/named-body.ts';

const values = { variantIds: ['v1', 'v2'], projectId: 'p1' };

describe('a body', () => {
  it.each([
    ['a list in a field', { ids: '{{ variantIds }}' }, { ids: ['v1', 'v2'] }],
    ['a field deep within it', { a: [{ b: '{{projectId}}' }] }, { a: [{ b: 'p1' }] }],
    [
      'values that are not fields',
      { a: 1, b: null, c: true, d: 'x' },
      { a: 1, b: null, c: true, d: 'x' },
    ],
    ['an unknown field', { a: '{{ constructor }}' }, { a: '{{ constructor }}' }],
    ['a key that every object has', { constructor: '{{ projectId }}' }, { constructor: 'p1' }],
  ])('a body with %s is filled', (_, body, filled) => {
    expect(fillBody(body, values)).toEqual(filled);
  });

  it('the fields of a body are listed', () => {
    expect(findBodyFields({ a: '{{ projectId }}', b: ['{{variantIds}}', 'x {{ y }}'] })).toEqual([
      'projectId',
      'variantIds',
    ]);
  });
});
