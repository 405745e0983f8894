// Tests which requests the codec server accepts, and its responses.
import { request } from 'node:http';
import { defaultPayloadConverter } from '@temporalio/common';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CodecKeys } from '../../../src/settings/secrets/codec-keys.ts';
import { type RunningCodec, startCodecServer } from '../../../src/temporal/codec/codec-server.ts';
import { EncryptionCodec } from '../../../src/temporal/codec/payload-codec.ts';

const keysOf = (id: string): CodecKeys => ({
  writingKeyId: id,
  keys: new Map([[id, Buffer.alloc(32, id)]]),
  origin: 'RENDERLINE_CODEC_KEYS',
});
const keys = keysOf('a');
const page = 'https://temporal.example.com';
const common = { keys, host: '127.0.0.1', port: 0, origins: [page] };

const token = 'canary/token';

let own: RunningCodec;
let behindProxy: RunningCodec;
beforeAll(async () => {
  own = await startCodecServer({ ...common, token, ownNamesOnly: true });
  behindProxy = await startCodecServer({ ...common, token, ownNamesOnly: false });
});
afterAll(async () => {
  await own.stop();
  await behindProxy.stop();
});

interface Asked {
  method?: string;
  path?: string;
  headers?: Record<string, string>;
  body?: string;
}

/** Sends raw HTTP, because `fetch` sets its own Host header. */
function ask(url: string, { method = 'POST', path = '/decode', headers, body }: Asked = {}) {
  return new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; text: string }>(
    (done, broke) => {
      const asking = request(`${url}${path}`, { method, headers, agent: false }, (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => {
          text += chunk.toString();
        });
        response.on('end', () =>
          done({ status: response.statusCode ?? 0, headers: response.headers, text }),
        );
      });
      asking.on('error', broke);
      asking.end(body);
    },
  );
}

/** A request in the form of the Temporal UI. */
async function bodyOf(value: unknown, by = keys): Promise<string> {
  const payloads = await new EncryptionCodec(by).encode([defaultPayloadConverter.toPayload(value)]);
  const base64 = (bytes: Uint8Array | null | undefined) =>
    Buffer.from(bytes ?? []).toString('base64');
  const wire = payloads.map(({ metadata, data }) => ({
    metadata: Object.fromEntries(
      Object.entries(metadata ?? {}).map(([name, bytes]) => [name, base64(bytes)]),
    ),
    data: base64(data),
  }));
  return JSON.stringify({ payloads: wire });
}

const empty = '{"payloads":[]}';
const bearer = { authorization: `Bearer ${token}` };
const many = (count: number) =>
  `{"payloads":[${Array.from({ length: count }, () => '{}').join()}]}`;
const withFields = (count: number) => {
  const names = Array.from({ length: count }, (_, at) => [`f${at}`, '']);
  return JSON.stringify({ payloads: [{ metadata: Object.fromEntries(names) }] });
};

describe('the codec server', () => {
  it.each<[string, Asked, number]>([
    ['a command line with the token', { headers: bearer, body: empty }, 200],
    ['the CLI with the token in its path', { path: '/canary%2Ftoken/decode', body: empty }, 200],
    ['a command line without the token', { body: empty }, 401],
    ['a wrong token', { headers: { authorization: 'Bearer no' }, body: empty }, 401],
    ['a wrong token in the path', { path: '/canary/decode', body: empty }, 401],
    ['a path that is not UTF-8', { path: '/%ff/decode', body: empty }, 401],
    ['the allowed page', { headers: { ...bearer, origin: page }, body: empty }, 200],
    ['another page', { headers: { ...bearer, origin: 'https://evil.example' }, body: empty }, 403],
    ['a page without an address', { headers: { ...bearer, origin: 'null' }, body: empty }, 403],
    [
      'a host name of this machine',
      { headers: { ...bearer, host: 'localhost:1' }, body: empty },
      200,
    ],
    ['another host name', { headers: { ...bearer, host: 'evil.example' }, body: empty }, 403],
    ['a preflight request', { method: 'OPTIONS', headers: { origin: page } }, 204],
    [
      'a preflight request from another page',
      { method: 'OPTIONS', headers: { origin: 'http://x' } },
      403,
    ],
    ['another path', { headers: bearer, path: '/encode', body: empty }, 404],
    ['another method', { headers: bearer, method: 'GET' }, 405],
    ['invalid JSON', { headers: bearer, body: '{' }, 400],
    ['other JSON', { headers: bearer, body: '{"payloads":[{"data":7}]}' }, 400],
    ['too many bytes', { headers: bearer, body: ' '.repeat(9 * 1024 * 1024) }, 413],
    ['the maximum number of payloads', { headers: bearer, body: many(10_000) }, 200],
    ['too many payloads', { headers: bearer, body: many(10_001) }, 400],
    ['too many fields of a payload', { headers: bearer, body: withFields(33) }, 400],
  ])('the response is correct for %s', async (_who, asked, status) => {
    expect((await ask(own.url, asked)).status).toBe(status);
  });

  it('the codec server accepts any host name behind a proxy, but only requests with the token', async () => {
    const host = 'codec.example';
    const shown = await ask(behindProxy.url, { headers: { ...bearer, host }, body: empty });
    const without = await ask(behindProxy.url, { headers: { host }, body: empty });
    expect([shown.status, without.status]).toEqual([200, 401]);
  });

  it('the codec server permits browsers to read the response only on the allowed page', async () => {
    const allowed = await ask(own.url, { headers: { ...bearer, origin: page }, body: empty });
    expect(allowed.headers['access-control-allow-origin']).toBe(page);
    const refused = await ask(own.url, {
      headers: { ...bearer, origin: 'https://evil.example' },
      body: empty,
    });
    expect(refused.headers['access-control-allow-origin']).toBeUndefined();
  });
});

describe('payloads', () => {
  it('payloads are decrypted, and unencrypted payloads stay unchanged', async () => {
    const { text } = await ask(own.url, {
      headers: bearer,
      body: await bodyOf({ key: 'oak.glb' }),
    });
    const { payloads } = JSON.parse(text) as {
      payloads: { metadata: Record<string, string>; data: string }[];
    };
    expect(payloads).toEqual([
      {
        metadata: { encoding: Buffer.from('json/plain').toString('base64') },
        data: Buffer.from('{"key":"oak.glb"}').toString('base64'),
      },
    ]);
    const again = await ask(own.url, { headers: bearer, body: text });
    expect(JSON.parse(again.text)).toEqual({ payloads });
  });

  it('payloads encrypted with a missing key are refused, with the id of the key', async () => {
    const { status, text } = await ask(own.url, {
      headers: bearer,
      body: await bodyOf(1, keysOf('b')),
    });
    expect(status).toBe(422);
    expect(text).toContain('CODEC_KEY_MISSING');
    expect(text).toContain('encrypted with the key \\"b\\"');
  });
});
