// Tests encrypted texts in fields in which Temporal accepts no payload.
import { defaultPayloadConverter } from '@temporalio/common';
import { expect, it } from 'vitest';
import { decryptText, encryptText } from '../../../src/temporal/codec/encrypt-text.ts';
import { EncryptionCodec } from '../../../src/temporal/codec/payload-codec.ts';

const withKey = (id: string | null) => {
  const keys = new Map(id === null ? [] : [[id, Buffer.alloc(32, id)]]);
  const codec = new EncryptionCodec(
    id === null ? null : { writingKeyId: id, keys, origin: 'here' },
  );
  const payloadConverter = defaultPayloadConverter;
  return { loadedDataConverter: { payloadConverter, payloadCodecs: [codec] } } as never;
};
const text = 'the product of Acme leaked';

it('text stays unchanged without encryption', async () => {
  expect(await encryptText(withKey(null), text)).toBe(text);
  expect(await decryptText(withKey(null), text)).toBe(text);
});

it('text is encrypted if payloads are encrypted, and can be read only with the key', async () => {
  const sealed = await encryptText(withKey('a'), text);
  expect(Buffer.from(sealed.slice(10), 'base64').toString('latin1') + sealed).not.toContain('Acme');
  expect(await decryptText(withKey('a'), sealed)).toBe(text);
  expect(await decryptText(withKey('b'), sealed)).toBeNull();
  expect(await decryptText(withKey(null), sealed)).toBeNull();
});

it.each(['encrypted:', 'encrypted:AAAA', 'encrypted:not base64'])(
  'foreign text that only looks encrypted stays unchanged: %s',
  async (other) => {
    await expect(decryptText(withKey('a'), other)).resolves.toBe(other);
  },
);
