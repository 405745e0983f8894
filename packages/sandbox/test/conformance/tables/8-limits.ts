import { expect } from 'vitest';
import { first } from '../_core-resources.ts';
import {
  absent,
  created,
  freshKey,
  invalid,
  many,
  ok,
  type Row,
  refused,
  type Table,
} from '../_rows.ts';
import { ModelPage, ModelsCreated } from '../_shapes.ts';

const reused = refused(422, 'IDEMPOTENCY_KEY_REUSED');
const body = { models: [{ fileType: 'glb', fileName: 'once.glb' }] };

/** Creating calls. A repeat with the same Idempotency-Key must get the first response again. */
const creating: [send: string, body: unknown][] = [
  ['POST /models', body],
  ['POST /projects', { modelIds: ['{model}'] }],
  ['POST /renders', { projectIds: ['{project}'], settings: { imageQuality: 0 } }],
  ['POST /jobs', { models: [{ fileName: 'a.glb', fileType: 'glb' }] }],
];

export const rateLimit: Table = {
  section: '8 rate limit',
  rows: [
    {
      rule: 'requests over the limit are RATE_LIMITED, with four headers, until the next window',
      on: { rateLimit: 3 },
      check: async (p) => {
        for (const _ of [1, 2, 3]) await p.meets('GET /me', {}, ok());
        const answer = await p.meets('GET /me', {}, refused(429, 'RATE_LIMITED'));
        const header = (name: string) => Number(answer.headers.get(name));
        expect([header('x-ratelimit-limit'), header('x-ratelimit-remaining')]).toEqual([3, 0]);
        const retryAfter = header('retry-after');
        expect(retryAfter).toBeGreaterThan(0);
        expect(retryAfter).toBeLessThanOrEqual(60);
        // Unix seconds, not milliseconds.
        expect(header('x-ratelimit-reset')).toBeGreaterThan(1_600_000_000);
        expect(header('x-ratelimit-reset')).toBeLessThan(10_000_000_000);
        await p.advance(retryAfter);
        await p.meets('GET /me', {}, ok());
      },
    },
    {
      rule: 'the window is fixed at 60 seconds',
      on: { rateLimit: 2 },
      check: async (p) => {
        await p.meets('GET /me', {}, ok());
        await p.advance(50);
        await p.meets('GET /me', {}, ok());
        await p.refused('GET /me', refused(429, 'RATE_LIMITED'));
        await p.advance(10);
        for (const _ of [1, 2]) await p.meets('GET /me', {}, ok());
        await p.refused('GET /me', refused(429, 'RATE_LIMITED'));
      },
    },
    {
      rule: 'requests with an unknown key do not use the allowance of another key',
      on: { rateLimit: 2 },
      check: async (p) => {
        for (const _ of [1, 2, 3]) await p.send('GET /me', { key: 'svc_0_0' });
        await p.meets('GET /me', {}, ok());
      },
    },
    {
      rule: 'a request that is RATE_LIMITED creates no model',
      on: { rateLimit: 1 },
      check: async (p) => {
        await p.meets('GET /me', {}, ok());
        await p.refused('POST /models', refused(429, 'RATE_LIMITED'), { body });
        await p.advance(60);
        await p.meets('GET /models', {}, ok(ModelPage, { total: 0 }));
      },
    },
    {
      rule: 'requests to signed links do not count',
      on: { rateLimit: 1 },
      check: async (p) => {
        const { models } = await p.ok('POST /models', ModelsCreated, body);
        expect((await p.put(first(models).uploadUrl, p.target.glb)).status).toBe(200);
      },
    },
  ],
};

const again = ([send, sent]: [string, unknown]): Row => ({
  rule: `${send} with the same key and body returns the original response`,
  check: async (p) => {
    const headers = { 'idempotency-key': freshKey() };
    const one = await p.send(send, { body: sent, headers });
    await p.advance(5);
    const two = await p.send(send, { body: sent, headers });
    expect(one.status).toBeLessThan(300);
    expect([two.status, two.text]).toEqual([one.status, one.text]);
    const three = await p.send(send, { body: sent, headers: { 'idempotency-key': freshKey() } });
    expect(three.text).not.toBe(one.text);
  },
});

export const idempotency: Table = {
  section: '8 Idempotency-Key',
  rows: [
    ...creating.map(again),
    {
      rule: 'a different body with the same key is refused',
      check: async (p) => {
        const headers = { 'idempotency-key': freshKey() };
        await p.meets('POST /models', { body, headers }, created());
        const other = { models: [{ fileType: 'glb', fileName: 'other.glb' }] };
        await p.refused('POST /models', reused, { body: other, headers });
      },
    },
    {
      rule: 'a different endpoint with the same key is refused',
      check: async (p) => {
        const headers = { 'idempotency-key': freshKey() };
        await p.meets('POST /models', { body, headers }, created());
        await p.refused('POST /jobs', reused, { body, headers });
        await p.refused('POST /projects', reused, { body, headers });
      },
    },
    {
      rule: 'the first response is still returned after a 422',
      check: async (p) => {
        const headers = { 'idempotency-key': freshKey() };
        const one = await p.send('POST /models', { body, headers });
        await p.refused('POST /models', reused, {
          body: { models: [{ fileType: 'obj' }] },
          headers,
        });
        expect((await p.send('POST /models', { body, headers })).text).toBe(one.text);
      },
    },
    {
      rule: 'a key has at most 255 characters',
      check: async (p) => {
        const longest = freshKey().padEnd(255, 'k');
        await p.meets('POST /models', { body, headers: { 'idempotency-key': longest } }, created());
        await p.refused('POST /models', invalid, {
          body,
          headers: { 'idempotency-key': `${longest}k` },
        });
      },
    },
    {
      rule: 'a key expires after 24 hours',
      only: 'moves the clock',
      check: async (p) => {
        const headers = { 'idempotency-key': freshKey() };
        const one = await p.send('POST /models', { body, headers });
        await p.advance(24 * 3600 - 60);
        expect((await p.send('POST /models', { body, headers })).text).toBe(one.text);
        await p.advance(120);
        expect((await p.send('POST /models', { body, headers })).text).not.toBe(one.text);
      },
    },
    {
      rule: 'upload URLs in a repeated response expire one hour after the first request',
      only: 'moves the clock',
      check: async (p) => {
        const headers = { 'idempotency-key': freshKey() };
        await p.send('POST /models', { body, headers });
        await p.advance(3700);
        const { body: answer } = await p.send('POST /models', { body, headers });
        const { models } = ModelsCreated.parse(answer);
        expect((await p.put(first(models).uploadUrl, p.target.glb)).status).toBe(403);
      },
    },
    {
      rule: 'server errors (5xx) are not cached',
      on: {},
      check: async (p) => {
        await p.controls.faults([
          { match: 'POST /models', nth: 1, do: { status: 503, code: 'INTERNAL_ERROR' } },
        ]);
        const headers = { 'idempotency-key': freshKey() };
        const url = `${p.target.baseUrl}/models`;
        const sent = {
          method: 'POST',
          body: JSON.stringify(body),
          headers: { ...headers, 'x-api-key': p.target.apiKey, 'content-type': 'application/json' },
        };
        expect((await fetch(url, sent)).status).toBe(503);
        expect((await fetch(url, sent)).status).toBe(201);
      },
    },
    {
      rule: 'a duplicate of a request in flight is refused with 409, and later gets the response of that request',
      on: {},
      check: async (p) => {
        await p.controls.faults([{ match: 'POST /models', nth: 1, do: { delayMs: 150 } }]);
        const headers = { 'idempotency-key': freshKey() };
        const slow = p.send('POST /models', { body, headers });
        let answer = await p.send('POST /models', { body, headers });
        // The slow request may arrive after the second one, so the second one is repeated.
        for (let tries = 0; answer.status !== 409 && tries < 5; tries += 1) {
          answer = await p.send('POST /models', { body, headers });
        }
        expect(answer).toMatchObject({
          status: 409,
          body: { error: { code: 'IDEMPOTENCY_CONFLICT' } },
        });
        const one = await slow;
        expect((await p.send('POST /models', { body, headers })).text).toBe(one.text);
      },
    },
    {
      rule: 'a GET ignores the key',
      check: async (p) => {
        const headers = { 'idempotency-key': freshKey() };
        for (const send of ['GET /me', 'GET /me/usage', 'GET /models']) {
          await p.meets(send, { headers }, ok());
        }
      },
    },
    {
      rule: 'concurrent requests with the same key create one model',
      check: async (p) => {
        const headers = { 'idempotency-key': freshKey() };
        const name = freshKey();
        const one = { models: [{ fileType: 'glb', name }] };
        await Promise.all(many(8, () => p.send('POST /models', { body: one, headers })));
        await p.meets(`GET /models?name=${name}`, {}, ok(ModelPage, { total: 1 }));
      },
    },
    {
      rule: 'the header name is case-insensitive',
      send: 'POST /models',
      body,
      headers: { 'IDEMPOTENCY-KEY': 'k'.repeat(256) },
      is: invalid,
    },
    {
      rule: 'an unknown id is refused even with a key',
      send: 'POST /projects',
      body: { modelIds: [absent] },
      headers: { 'idempotency-key': 'conformance-404' },
      is: refused(404, 'NOT_FOUND'),
    },
  ],
};
