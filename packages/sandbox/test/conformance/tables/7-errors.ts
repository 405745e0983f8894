import { expect } from 'vitest';
import { endpoints } from '../_endpoints.ts';
import { invalid, notFound, type Row, refused, type Table } from '../_rows.ts';

const every = endpoints;
/** Operations that require a body. */
const needBody = every.filter(
  ({ send, body, missing }) => body !== undefined && !missing && send.startsWith('POST'),
);

export const errors: Table = {
  section: '7 errors',
  rows: [
    ...every.flatMap(({ send, body, missing }): Row[] =>
      missing ? [{ rule: `an unknown id: ${missing}`, send, body, is: refused(404, missing) }] : [],
    ),
    ...needBody.flatMap(({ send }): Row[] => [
      { rule: 'no body', send, is: invalid },
      { rule: 'broken JSON', send, raw: '{"a":', is: invalid },
      {
        rule: 'an empty body',
        send,
        raw: '',
        headers: { 'content-type': 'application/json' },
        is: invalid,
      },
      ...['[]', 'null', '"text"', '7', 'true'].map(
        (raw): Row => ({ rule: 'a body that is no object', send, raw, is: invalid }),
      ),
    ]),
    ...['GET /nothing-here', 'POST /models/a/b/c', 'GET /models/', 'GET /Models'].map(
      (send): Row => ({
        rule: 'a path that is none',
        send,
        is: { status: [404, 405] },
      }),
    ),
    ...[
      'DELETE /models',
      'PUT /models/{model}',
      'PATCH /projects/{project}',
      'POST /templates',
      'DELETE /me',
    ].map(
      (send): Row => ({
        rule: 'a method that a path does not have',
        send,
        is: { status: [404, 405] },
      }),
    ),
    ...[
      'models=1',
      '<models><fileType>glb</fileType></models>',
      'models:\n  - fileType: glb',
      "{'models': [{'fileType': 'glb'}]}",
      '{models: [{fileType: "glb"}]}',
      '{"models":[{"fileType":"glb"},]}',
      '{"models":[{"fileType":"glb"}]} {}',
      '{"models":[{"fileType":"glb"}]} // two',
      '{"models":[{"fileType":"glb","fileSize":NaN}]}',
    ].map(
      (raw): Row => ({
        rule: 'text that is JSON only by its Content-Type',
        send: 'POST /models',
        raw,
        headers: { 'content-type': 'application/json' },
        is: invalid,
      }),
    ),
    {
      rule: 'form data',
      send: 'POST /models',
      raw: 'models=1',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      is: invalid,
    },
    {
      rule: 'the message names the item and the reason',
      check: async (p) => {
        const body = { models: [{ fileType: 'glb' }, { fileType: '.GLB' }] };
        expect(await p.refused('POST /models', invalid, { body })).toMatch(/models\W*1\W*fileType/);
        const range = await p.refused('GET /models?limit=0', invalid);
        expect(range).toMatch(/limit/);
        expect(
          await p.refused('POST /projects', notFound, { body: { modelIds: ['{absent}'] } }),
        ).toMatch(/0000/);
      },
    },
    {
      rule: 'ids are taken as they are: no path tricks',
      check: async (p) => {
        for (const id of ['..%2Fme', '%00', 'a%20b', '%F0%9F%98%80', 'x'.repeat(2000)]) {
          const { status } = await p.send(`GET /models/${id}`);
          expect([400, 404]).toContain(status);
        }
      },
    },
    {
      rule: 'INTERNAL_ERROR: 500 in the envelope',
      on: {},
      check: async (p) => {
        await p.controls.faults([{ match: 'GET /me', do: { status: 500 } }]);
        await p.refused('GET /me', refused(500, 'INTERNAL_ERROR'));
      },
    },
  ],
};
