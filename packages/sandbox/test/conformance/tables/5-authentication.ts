import { expect } from 'vitest';
import { createModel } from '../_core-resources.ts';
import { endpoints } from '../_endpoints.ts';
import { type Row, refused, type Table } from '../_rows.ts';

const missingKey = refused(401, 'MISSING_API_KEY');
const invalidKey = refused(401, 'INVALID_API_KEY');
const every = endpoints;

const denial = (code: string, status: number): Row => ({
  rule: `a workspace with the denial ${code} gets ${status}, but can read openapi.json`,
  on: {},
  check: async (p) => {
    await p.controls.deny(code);
    for (const send of ['GET /me', 'GET /models', 'GET /me/usage']) {
      await p.refused(send, refused(status, code));
    }
    const body = { models: [{ fileType: 'glb' }] };
    await p.refused('POST /models', refused(status, code), { body });
    await p.meets('GET /openapi.json', { key: null }, { status: 200 });
  },
});

export const authentication: Table = {
  section: '5 authentication',
  rows: [
    ...every.map(
      ({ send, body }): Row => ({
        rule: 'a request without a key is refused',
        send,
        body,
        key: null,
        is: missingKey,
      }),
    ),
    ...every.map(
      ({ send, body }): Row => ({
        rule: 'an unknown key is refused',
        send,
        body,
        key: 'svc_0000_unknown',
        is: invalidKey,
      }),
    ),
    ...['hello', 'svc_', 'svc__', 'svc_only', 'Bearer x', 'svc_a_b_c', 'SVC_a_b'].map(
      (key): Row => ({
        rule: 'a malformed key is refused',
        send: 'GET /me',
        key,
        is: invalidKey,
      }),
    ),
    {
      rule: 'an empty key is refused',
      send: 'GET /me',
      key: '',
      is: { status: 401, code: ['MISSING_API_KEY', 'INVALID_API_KEY'] },
    },
    {
      rule: 'a key in an Authorization header counts as missing',
      send: 'GET /me',
      key: null,
      headers: { authorization: 'Bearer svc_a_b' },
      is: missingKey,
    },
    {
      rule: 'a key in the query counts as missing',
      send: 'GET /me?X-API-Key=svc_a_b',
      key: null,
      is: missingKey,
    },
    {
      rule: 'the key is checked before the body',
      send: 'POST /models',
      raw: '{"models":',
      key: null,
      is: missingKey,
    },
    {
      rule: 'the key is checked before the path',
      send: 'GET /nothing-here',
      key: 'hello',
      is: invalidKey,
    },
    {
      rule: 'a shortened, extended or upper-case key is refused',
      check: async (p) => {
        const { apiKey } = p.target;
        for (const key of [apiKey.slice(0, -1), `${apiKey}x`, apiKey.toUpperCase()]) {
          await p.refused('GET /me', invalidKey, { key });
        }
      },
    },
    {
      rule: 'the key has the form svc_{prefix}_{secret}',
      only: 'keys of other platforms have their own prefix',
      check: async (p) => expect(p.target.apiKey).toMatch(/^svc_[^_]+_[^_]+$/),
    },
    denial('INVALID_API_KEY', 401),
    denial('WORKSPACE_NOT_FOUND', 401),
    denial('GEO_RESTRICTED', 403),
    {
      rule: 'an upload URL does not contain the API key and needs none',
      check: async (p) => {
        const { uploadUrl } = await createModel(p, 'signed.glb');
        expect(new URL(uploadUrl).href).not.toContain(p.target.apiKey);
        expect((await p.put(uploadUrl, p.target.glb)).status).toBe(200);
      },
    },
    {
      rule: 'GET /openapi.json needs no key',
      send: 'GET /openapi.json',
      key: null,
      is: { status: 200 },
    },
  ],
};
