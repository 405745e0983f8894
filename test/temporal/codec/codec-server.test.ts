// Whom the codec server answers, and what.
import { request } from 'node:http';
import { defaultPayloadConverter } from '@temporalio/common';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CodecKeys } from '../../../src/settings/codec-keys.ts';
import { type RunningCodec, startCodecServer } from '../../../src/temporal/codec/codec-server.ts';
import { EncryptionCodec } from '../../../src/temporal/codec/payload-codec.ts';

const keysOf = (id: string): CodecKeys => ({
  writing: id,
  keys: new Map([[id, Buffer.alloc(32, id)]]),
  origin: 'RENDERLINE_CODEC_KEYS',
});
const keys = keysOf('a');
const page = 'https://temporal.example.com';
const common = { keys, host: '127.0.0.1', port: 0, origins: [page] };

let open: RunningCodec;
let guarded: RunningCodec;
beforeAll(async () => {
  open = await startCodecServer({ ...common, token: null });
  guarded = await startCodecServer({ ...common, token: 'canary-token' });
});
afterAll(async () => {
  await open.stop();
  await guarded.stop();
});

interface Asked {
  method?: string;
  path?: string;
  headers?: Record<string, string>;
  body?: string;
}

/** `fetch` sends a Host of its own. */
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

/** As the Temporal UI sends it. */
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
const bearer = { authorization: 'Bearer canary-token' };

describe('it answers', () => {
  it.each<[string, boolean, Asked, number]>([
    ['a command line', false, { body: empty }, 200],
    ['the page that is allowed', false, { headers: { origin: page }, body: empty }, 200],
    ['another page', false, { headers: { origin: 'https://evil.example' }, body: empty }, 403],
    ['a page without an address', false, { headers: { origin: 'null' }, body: empty }, 403],
    ['a name of the machine', false, { headers: { host: 'localhost:1' }, body: empty }, 200],
    ['a name of others', false, { headers: { host: 'evil.example' }, body: empty }, 403],
    ['without the token', true, { body: empty }, 401],
    ['a wrong token', true, { headers: { authorization: 'Bearer no' }, body: empty }, 401],
    ['the token', true, { headers: bearer, body: empty }, 200],
    [
      'the token, by any name',
      true,
      { headers: { ...bearer, host: 'codec.example' }, body: empty },
      200,
    ],
    [
      'the token, another page',
      true,
      { headers: { ...bearer, origin: 'https://evil.example' }, body: empty },
      403,
    ],
    ['the question before', true, { method: 'OPTIONS', headers: { origin: page } }, 204],
    ['that of another page', true, { method: 'OPTIONS', headers: { origin: 'http://x' } }, 403],
    ['at another path', false, { path: '/encode', body: empty }, 404],
    ['another method', false, { method: 'GET' }, 405],
    ['no JSON', false, { body: '{' }, 400],
    ['other JSON', false, { body: '{"payloads":[{"data":7}]}' }, 400],
    ['too much', false, { body: ' '.repeat(9 * 1024 * 1024) }, 413],
  ])('%s', async (_who, asksForToken, asked, status) => {
    const { url } = asksForToken ? guarded : open;
    expect((await ask(url, asked)).status).toBe(status);
  });

  it('tells a browser which page may read the answer, and no other', async () => {
    const allowed = await ask(open.url, { headers: { origin: page }, body: empty });
    expect(allowed.headers['access-control-allow-origin']).toBe(page);
    const refused = await ask(open.url, {
      headers: { origin: 'https://evil.example' },
      body: empty,
    });
    expect(refused.headers['access-control-allow-origin']).toBeUndefined();
  });
});

describe('payloads', () => {
  it('come back as they were, and those in the clear stay', async () => {
    const { text } = await ask(open.url, { body: await bodyOf({ key: 'oak.glb' }) });
    const { payloads } = JSON.parse(text) as {
      payloads: { metadata: Record<string, string>; data: string }[];
    };
    expect(payloads).toEqual([
      {
        metadata: { encoding: Buffer.from('json/plain').toString('base64') },
        data: Buffer.from('{"key":"oak.glb"}').toString('base64'),
      },
    ]);
    const again = await ask(open.url, { body: text });
    expect(JSON.parse(again.text)).toEqual({ payloads });
  });

  it('of a key that is not here are refused by its id', async () => {
    const { status, text } = await ask(open.url, { body: await bodyOf(1, keysOf('b')) });
    expect(status).toBe(422);
    expect(text).toContain('CODEC_KEY_MISSING');
    expect(text).toContain('encrypted with the key \\"b\\"');
  });
});
