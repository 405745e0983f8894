// Tests the payload codec: it sends nothing readable, decrypts everything that was ever written, and names the key id
// of payloads that it cannot decrypt.
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { describe, expect, it } from 'vitest';
import { findKnownFailure } from '../../../src/failures/classify-error.ts';
import type { CodecKeys } from '../../../src/settings/secrets/codec-keys.ts';
import {
  CodecKeyMissingError,
  CodecKeyWrongError,
} from '../../../src/temporal/codec/codec-errors.ts';
import { EncryptionCodec, findKeyId } from '../../../src/temporal/codec/payload-codec.ts';

const keysOf = (writing: string, ids: Record<string, number>): CodecKeys => ({
  writingKeyId: writing,
  keys: new Map(Object.entries(ids).map(([id, byte]) => [id, Buffer.alloc(32, byte)])),
  origin: 'RENDERLINE_CODEC_KEYS',
});
const value = { key: 'chairs/oak.glb', secret: 'ünïcode 靴', bytes: [0, 1, 2] };
const plain = () => defaultPayloadConverter.toPayload(value);
const read = (payload: Payload | undefined): unknown =>
  payload && defaultPayloadConverter.fromPayload(payload);

const first = new EncryptionCodec(keysOf('a', { a: 1 }));
const rotated = new EncryptionCodec(keysOf('b', { a: 1, b: 2 }));
const keyless = new EncryptionCodec(null);

describe('a payload', () => {
  it('an encrypted payload contains no readable word, and can be decrypted', async () => {
    const [sealed] = await first.encode([plain()]);
    expect(Buffer.from(sealed?.data ?? []).toString('latin1')).not.toContain('oak');
    expect(Object.keys(sealed?.metadata ?? {}).sort()).toEqual(['encoding', 'encryption-key-id']);
    const [back] = await first.decode(sealed ? [sealed] : []);
    expect(read(back)).toEqual(value);
  });

  it('a payload is never encrypted to the same bytes twice', async () => {
    const [one, two] = await first.encode([plain(), plain()]);
    expect(one?.data).not.toEqual(two?.data);
  });

  it('a payload grows by less than 160 bytes', async () => {
    const sizeOf = ({ data, metadata }: Payload) =>
      [data, ...Object.values(metadata ?? {})].reduce((sum, part) => sum + (part?.length ?? 0), 0);
    const long = new EncryptionCodec(keysOf('x'.repeat(40), { ['x'.repeat(40)]: 1 }));
    const before = plain();
    const [sealed = {}] = await long.encode([before]);
    expect(sizeOf(sealed) - sizeOf(before)).toBeLessThan(160);
  });

  it('a payload has a mark that tells workflow code that its worker encrypts, and the mark is not sent', async () => {
    const [sealed = {}] = await first.encode([plain()]);
    const [marked = {}] = await first.decode([sealed]);
    expect(Object.keys(marked.metadata ?? {})).toContain('renderline-encrypts');
    const [again = {}] = await first.encode([marked]);
    const [opened = {}] = await first.decode([again]);
    expect(opened).toEqual(marked);
    expect(await keyless.decode([plain()])).toEqual([plain()]);
  });
});

describe('decoding', () => {
  const written: Record<string, () => Promise<Payload[]>> = {
    'in the clear': async () => [plain()],
    'with key a': () => first.encode([plain()]),
    'with key b': () => rotated.encode([plain()]),
  };
  const readers = { 'without keys': keyless, 'with a': first, 'with a and b': rotated };
  it.each<[keyof typeof readers, string, 'value' | 'a' | 'b']>([
    ['without keys', 'in the clear', 'value'],
    ['without keys', 'with key a', 'a'],
    ['without keys', 'with key b', 'b'],
    ['with a', 'in the clear', 'value'],
    ['with a', 'with key a', 'value'],
    ['with a', 'with key b', 'b'],
    ['with a and b', 'in the clear', 'value'],
    ['with a and b', 'with key a', 'value'],
    ['with a and b', 'with key b', 'value'],
  ])(
    'a codec %s, given a payload %s, returns the value or the id of the missing key: %s',
    async (reader, how, outcome) => {
      const payloads = (await written[how]?.()) ?? [];
      const reading = readers[reader].decode(payloads);
      if (outcome === 'value') {
        expect((await reading).map(read)).toEqual([value]);
        return;
      }
      const error = await reading.catch((thrown: unknown) => thrown);
      if (!(error instanceof CodecKeyMissingError)) throw error;
      expect(error.message).toContain(`"${outcome}"`);
      expect(findKnownFailure(error)).toMatchObject({
        failure: { code: 'CODEC_KEY_MISSING' },
        fix: expect.stringContaining(`RENDERLINE_CODEC_KEYS=${outcome}:KEY`),
      });
    },
  );

  it.each<[string, (data: Uint8Array) => Uint8Array]>([
    ['changed', (data) => data.map((byte, at) => (at === 20 ? byte ^ 1 : byte))],
    ['cut short', (data) => data.subarray(0, 20)],
    ['empty', () => new Uint8Array()],
  ])('decoding refuses a payload that was %s', async (_how, spoil) => {
    const [sealed = {}] = await first.encode([plain()]);
    const spoilt = { ...sealed, data: spoil(sealed.data ?? new Uint8Array()) };
    await expect(first.decode([spoilt])).rejects.toThrow(CodecKeyWrongError);
  });

  it('decoding refuses a payload with another key under the same id, and reports it', async () => {
    const told: string[] = [];
    const other = new EncryptionCodec(keysOf('a', { a: 9 }), {
      onUnreadable: (error) => told.push(error.name),
    });
    const sealed = await first.encode([plain()]);
    await expect(other.decode(sealed)).rejects.toThrow(
      /with the key "a" \(RENDERLINE_CODEC_KEYS\)/,
    );
    expect(told).toEqual(['CodecKeyWrongError']);
  });

  describe('workflows that are shared by workers of several teams', () => {
    const of = (workflowId: string) =>
      ({ type: 'workflow', namespace: 'default', workflowId }) as const;

    it.each(['allowance/0123456789abcdef', 'poll-leader/team-a'])(
      'the payload of %s stays unencrypted',
      async (id) => {
        const given = await first.decode([plain()]);
        const [sent] = await first.encode(given, of(id));
        expect(sent).toEqual(plain());
        expect(await keyless.decode([plain()], of(id))).toEqual([plain()]);
        expect(await first.decode([plain()], of(id))).toEqual([plain()]);
        const [ofRun] = await first.encode([plain()], of('shop-1'));
        expect(findKeyId(ofRun ?? {})).toBe('a');
      },
    );
  });

  it('a codec decrypts but does not encrypt if writing is off', async () => {
    const reading = new EncryptionCodec({ ...keysOf('a', { a: 1 }), writingKeyId: null });
    expect((await reading.decode(await first.encode([plain()]))).map(read)).toEqual([value]);
    expect(await reading.encode([plain()])).toEqual([plain()]);
    // Workflow code that sees no flag also leaves its failures unencrypted.
    expect(await reading.decode([plain()])).toEqual([plain()]);
  });

  it('a payload with another encoding stays unchanged', async () => {
    const foreign = { metadata: { encoding: Buffer.from('binary/zlib') }, data: Buffer.from('x') };
    expect(await keyless.decode([foreign])).toEqual([foreign]);
    expect(findKeyId(foreign)).toBeNull();
  });
});
