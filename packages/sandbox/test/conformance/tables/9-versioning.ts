import { expect } from 'vitest';
import { z } from 'zod';
import { endpoints } from '../_endpoints.ts';
import { ok, type Row, type Table } from '../_rows.ts';

const Described = z.object({
  deprecated: z.boolean().optional(),
  responses: z.record(z.string(), z.unknown()),
});

/** `POST /models/{}/confirm`: the platform may name its path parameters differently. */
const template = (send: string) =>
  send
    .replaceAll(/\{\w+\}/g, '{}')
    .replace(/\?.*/, '')
    .replace('/assets/MODEL/', '/assets/{}/');

const described = (send: string): Row => ({
  rule: `openapi.json contains ${template(send)}`,
  check: async (p) => {
    if (send.startsWith('@')) {
      await p.openApi.routeOf(send.slice(1));
      return;
    }
    const routes = Object.entries(await p.openApi.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${template(path)}`),
    );
    expect(routes).toContain(template(send));
  },
});

export const versioning: Table = {
  section: '9 versioning',
  rows: [
    {
      rule: 'openapi.json has the version 1.0.0',
      send: 'GET /openapi.json',
      key: null,
      is: ok(undefined, { openapi: expect.stringMatching(/^3\.1\./), info: { version: '1.0.0' } }),
    },
    {
      rule: 'the path prefix is /api/v1',
      check: async (p) => expect(p.target.baseUrl).toMatch(/\/api\/v1$/),
    },
    ...endpoints.map(({ send }) => described(send)),
    {
      rule: 'PUT /decals/{decalId}/pantone-codes is deprecated, but PUT /decals/{decalId}/inks is not',
      check: async (p) => {
        const find = async (end: string) => {
          const found = Object.entries(await p.openApi.paths).find(([path]) => path.endsWith(end));
          return Described.parse(found?.[1]['put']);
        };
        expect((await find('/pantone-codes')).deprecated).toBe(true);
        expect((await find('/inks')).deprecated ?? false).toBe(false);
      },
    },
    {
      rule: 'every operation is described with 401, 429 and 500',
      check: async (p) => {
        for (const [path, operations] of Object.entries(await p.openApi.paths)) {
          for (const [method, operation] of Object.entries(operations)) {
            if (path === '/openapi.json') continue;
            const { responses } = Described.parse(operation);
            expect(Object.keys(responses), `${method} ${path}`).toEqual(
              expect.arrayContaining(['401', '429', '500']),
            );
          }
        }
      },
    },
  ],
};
