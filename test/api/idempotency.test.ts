import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createIdempotencyKey, toRequestBodyText } from '../../src/api/requests/idempotency-key.ts';

const parts = { lineage: 'l1', step: 'render/submit', assets: ['b', 'a'], epoch: 0 };

describe('idempotency keys', () => {
  it('an idempotency key starts with our prefix, and has at most 64 characters, all safe in a header', () => {
    expect(createIdempotencyKey(parts)).toMatch(/^rl-[A-Za-z0-9_-]{43}$/);
  });

  it('idempotency keys are the same for the same work, whatever the order of the assets', () => {
    expect(createIdempotencyKey({ ...parts, assets: ['a', 'b'] })).toBe(
      createIdempotencyKey(parts),
    );
  });

  it.each([
    ['another lineage', { lineage: 'l2' }],
    ['another step', { step: 'render/retry' }],
    ['another asset', { assets: ['a', 'c'] }],
    ['one asset fewer', { assets: ['a'] }],
    ['an asset whose key looks like two joined keys', { assets: ['a,b'] }],
    ['a later epoch', { epoch: 1 }],
  ])('idempotency keys differ for %s', (_, change) => {
    expect(createIdempotencyKey({ ...parts, ...change })).not.toBe(createIdempotencyKey(parts));
  });

  it('idempotency keys are pinned, because another formula would make runs in flight pay twice', () => {
    expect(createIdempotencyKey(parts)).toBe('rl-Ib3n3EG1Caip-Tf9_37_5bsTtEDUvnW4U-kmGQasEmc');
  });

  it('the given list is not changed', () => {
    const assets = ['b', 'a'];
    createIdempotencyKey({ ...parts, assets });
    expect(assets).toEqual(['b', 'a']);
  });
});

describe('body text', () => {
  it('body text does not depend on the order in which an object was built', () => {
    expect(toRequestBodyText({ b: 1, a: { d: [2, { f: null, e: 'x' }], c: true } })).toBe(
      '{"a":{"c":true,"d":[2,{"e":"x","f":null}]},"b":1}',
    );
  });

  it('body text leaves undefined fields out and keeps the order of arrays', () => {
    expect(toRequestBodyText({ b: undefined, a: [3, 1, 2] })).toBe('{"a":[3,1,2]}');
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY])(
    'body text with %d is refused, because JSON would turn it into null',
    (value) => {
      expect(() => toRequestBodyText({ settings: { scale: [value] } })).toThrow(
        'body.settings.scale[0]',
      );
    },
  );

  it('body text is equivalent to the value, and shuffled keys produce the same text', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const shuffled = Object.fromEntries(Object.entries(value).reverse());
        expect(toRequestBodyText(shuffled)).toBe(toRequestBodyText(value));
        expect(JSON.parse(toRequestBodyText(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});
