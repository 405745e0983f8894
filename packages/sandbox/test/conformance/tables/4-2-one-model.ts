import { expect } from 'vitest';
import { createProject, readyModel, uploadedModel } from '../_core-resources.ts';
import { bodyRows, invalid, ok, type Row, refused, requestRows, type Table } from '../_rows.ts';
import { ModelChecks, ModelDeleted, ModelDetail, Project } from '../_shapes.ts';

const missing = refused(404, 'MODEL_NOT_FOUND');

export const oneModel: Table = {
  section: '4.2 reading, renaming, downloading and deleting a model',
  rows: [
    {
      rule: 'the details of a model can be read',
      send: 'GET /models/{model}',
      is: ok(ModelDetail, { modelId: '{model}', status: 'READY', fileType: 'glb' }),
    },
    {
      rule: 'the details of a model without a file can be read',
      send: 'GET /models/{emptyModel}',
      is: ok(ModelDetail),
    },
    {
      rule: 'a model is renamed',
      send: 'PATCH /models/{otherModel}',
      body: { name: 'Renamed' },
      is: ok(ModelDetail, { modelId: '{otherModel}', name: 'Renamed' }),
    },
    {
      rule: 'the new name is stored',
      send: 'GET /models/{otherModel}',
      is: ok(ModelDetail, { name: 'Renamed' }),
    },
    ...bodyRows('name is required', 'PATCH /models/{model}', invalid, [
      {},
      { name: 7 },
      { name: null },
      { category: 'x' },
    ]),
    ...['', '?format=glb', '?format=source'].map(
      (query): Row => ({
        rule: `a download redirects to the file (${query || 'format defaults to glb'})`,
        check: async (p) => {
          const answer = await p.meets(`GET /models/{model}/download${query}`, {}, { status: 302 });
          const { bytes } = await p.file(answer.headers.get('location') ?? '');
          expect(bytes.subarray(0, 4).toString()).toBe('glTF');
          if (query.endsWith('source')) expect(bytes.equals(p.target.glb)).toBe(true);
        },
      }),
    ),
    {
      rule: 'a download of the USDZ redirects to a zip archive, or is refused with NO_FILE',
      check: async (p) => {
        const answer = await p.send('GET /models/{model}/download?format=usdz');
        if (answer.status === 404) {
          await p.refused('GET /models/{model}/download?format=usdz', refused(404, 'NO_FILE'));
          return;
        }
        expect(answer.status).toBe(302);
        const { bytes } = await p.file(answer.headers.get('location') ?? '');
        expect(bytes.subarray(0, 4).toString('latin1')).toBe('PK\x03\x04');
      },
    },
    {
      rule: 'a download URL is valid for one hour',
      only: 'moves the clock',
      check: async (p) => {
        const answer = await p.send('GET /models/{model}/download');
        const url = answer.headers.get('location') ?? '';
        await p.advance(3590);
        expect((await p.file(url)).status).toBe(200);
        await p.advance(20);
        expect((await p.file(url)).status).toBe(403);
      },
    },
    ...requestRows('an unknown format is refused', invalid, [
      'GET /models/{model}/download?format=stl',
      'GET /models/{model}/download?format=GLB',
      'GET /models/{model}/download?format=',
    ]),
    {
      rule: 'the download of a model without a file is refused with NO_FILE',
      send: 'GET /models/{emptyModel}/download',
      is: refused(404, 'NO_FILE'),
    },
    {
      rule: 'the source of a model without a file is refused with NO_FILE',
      send: 'GET /models/{emptyModel}/download?format=source',
      is: refused(404, 'NO_FILE'),
    },
    {
      rule: 'an unknown model is refused',
      send: 'GET /models/{absent}/download?format=glb',
      is: missing,
    },
    {
      rule: 'DELETE is permanent, and removes the model from projects that use it',
      check: async (p) => {
        const [keep, drop] = [await p.resources.id('model'), await readyModel(p, 'goes.glb')];
        const projectId = await createProject(p, [keep, drop]);
        await p.meets(
          `DELETE /models/${drop}`,
          {},
          ok(ModelDeleted, { deleted: true, modelId: drop }),
        );
        for (const send of [
          `GET /models/${drop}`,
          `DELETE /models/${drop}`,
          `GET /models/${drop}/download`,
        ]) {
          await p.refused(send, missing);
        }
        await p.refused(`PATCH /models/${drop}`, missing, { body: { name: 'x' } });
        const { modelIds } = await p.ok(`GET /projects/${projectId}`, Project);
        expect(modelIds).toEqual([keep]);
        const { notFound } = await p.ok('POST /models/status', ModelChecks, { modelIds: [drop] });
        expect(notFound).toEqual([drop]);
      },
    },
    {
      rule: 'DELETE removes the stored file',
      check: async (p) => {
        const modelId = await readyModel(p, 'goes with files.glb');
        const { headers } = await p.send(`GET /models/${modelId}/download?format=source`);
        await p.send(`DELETE /models/${modelId}`);
        expect((await p.file(headers.get('location') ?? '')).status).not.toBe(200);
      },
    },
    {
      rule: 'a model can be deleted while it is being processed',
      check: async (p) => {
        const modelId = await uploadedModel(p, 'goes early.glb');
        await p.meets(`DELETE /models/${modelId}`, {}, ok(ModelDeleted));
      },
    },
  ],
};
