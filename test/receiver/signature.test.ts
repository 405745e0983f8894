// Tests the signature: lowercase hex HMAC-SHA256 of the raw bytes, compared in constant time.
import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { hasValidSignature } from '../../src/receiver/signature.ts';

const body = Buffer.from('{"event":"model.processed","data":{"name":"Stühle"}}');
const sign = (bytes: Uint8Array, secret: string) =>
  createHmac('sha256', secret).update(bytes).digest('hex');
const right = sign(body, 'new');

describe('hasValidSignature', () => {
  test.each([
    ['the secret', body, right, ['new'], true],
    ['an upper-case signature', body, right.toUpperCase(), ['new'], true],
    ['the old secret while it is replaced', body, sign(body, 'old'), ['new', 'old'], true],
    ['the new secret, listed last', body, right, ['old', 'new'], true],
    ['another secret', body, sign(body, 'guess'), ['new', 'old'], false],
    ['no known secret', body, right, [], false],
    ['an empty secret', body, sign(body, ''), ['new'], false],
    ['no header', body, undefined, ['new'], false],
    ['two headers', body, [right, right], ['new'], false],
    ['a truncated signature', body, right.slice(0, 62), ['new'], false],
    ['a longer signature', body, `${right}00`, ['new'], false],
    ['an undocumented prefix', body, `sha256=${right}`, ['new'], false],
    ['a signature that is not hex', body, 'z'.repeat(64), ['new'], false],
    [
      'one additional byte in the body',
      Buffer.concat([body, Buffer.from(' ')]),
      right,
      ['new'],
      false,
    ],
    [
      'the same JSON, reformatted',
      Buffer.from(JSON.stringify(JSON.parse(body.toString()), null, 1)),
      right,
      ['new'],
      false,
    ],
  ])('hasValidSignature checks a request with %s', (_what, bytes, header, secrets, signed) => {
    expect(hasValidSignature(bytes, header, secrets)).toBe(signed);
  });
});
