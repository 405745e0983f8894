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
      missing
        ? [
            {
              rule: `an unknown id is refused with ${missing}`,
              send,
              body,
              is: refused(404, missing),
            },
          ]
        : [],
    ),
    ...needBody.flatMap(({ send }): Row[] => [
      { rule: 'a request without a body is refused', send, is: invalid },
      { rule: 'broken JSON is refused', send, raw: '{"a":', is: invalid },
      {
        rule: 'an empty body is refused',
        send,
        raw: '',
        headers: { 'content-type': 'application/json' },
        is: invalid,
      },
      ...['[]', 'null', '"text"', '7', 'true'].map(
        (raw): Row => ({ rule: 'a body that is not an object is refused', send, raw, is: invalid }),
      ),
    ]),
    ...['GET /nothing-here', 'POST /models/a/b/c', 'GET /models/', 'GET /Models'].map(
      (send): Row => ({
        rule: 'an unknown path is refused',
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
        rule: 'a method that the path does not have is refused',
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
        rule: 'a body that is not valid JSON is refused',
        send: 'POST /models',
        raw,
        headers: { 'content-type': 'application/json' },
        is: invalid,
      }),
    ),
    {
      rule: 'form data is refused',
      send: 'POST /models',
      raw: 'models=1',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      is: invalid,
    },
    {
      rule: 'the message contains the field or the id',
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
      rule: 'unusual ids never reach another path',
      check: async (p) => {
        for (const id of ['..%2Fme', '%00', 'a%20b', '%F0%9F%98%80', 'x'.repeat(2000)]) {
          const { status } = await p.send(`GET /models/${id}`);
          expect([400, 404]).toContain(status);
        }
      },
    },
    {
      rule: 'an internal error is returned as 500 with INTERNAL_ERROR',
      on: {},
      check: async (p) => {
        await p.controls.faults([{ match: 'GET /me', do: { status: 500 } }]);
        await p.refused('GET /me', refused(500, 'INTERNAL_ERROR'));
      },
    },
  ],
};
