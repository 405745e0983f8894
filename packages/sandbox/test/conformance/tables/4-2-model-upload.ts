import { expect } from 'vitest';
import { createModel } from '../_core-resources.ts';
import { bodyRows, invalid, refused, type Table } from '../_rows.ts';
import { ModelConfirmed } from '../_shapes.ts';

const glb = { fileType: 'glb' };
const missing = refused(404, 'MODEL_NOT_FOUND');

export const modelUpload: Table = {
  section: '4.2 upload and POST /models/{modelId}/confirm',
  rows: [
    {
      rule: 'a PUT without an API key stores the file, which is then confirmed',
      check: async (p) => {
        const { modelId, uploadUrl } = await createModel(p, 'put.glb');
        expect(await p.put(uploadUrl, p.target.glb)).toEqual({ status: 200, text: '' });
        const { status } = await p.ok(`POST /models/${modelId}/confirm`, ModelConfirmed, glb);
        expect(['PENDING', 'ANALYZING', 'READY']).toContain(status);
      },
    },
    {
      rule: 'a confirmation without an uploaded file is refused',
      send: 'POST /models/{emptyModel}/confirm',
      body: glb,
      is: refused(400, 'FILE_NOT_UPLOADED'),
    },
    ...bodyRows(
      'fileType is required and matches ^[a-z0-9]{1,8}$',
      'POST /models/{emptyModel}/confirm',
      invalid,
      [
        {},
        { fileType: '' },
        { fileType: '.glb' },
        { fileType: 'GLB' },
        { fileType: 'abcdefghi' },
        { fileType: 3 },
      ],
    ),
    { rule: 'a body is required', send: 'POST /models/{emptyModel}/confirm', is: invalid },
    {
      rule: 'an unknown model is refused',
      send: 'POST /models/{absent}/confirm',
      body: glb,
      is: missing,
    },
    {
      rule: 'confirming a file over the limit is refused with MODEL_FILE_TOO_LARGE',
      on: {},
      check: async (p) => {
        await p.controls.limits({ modelFileBytes: 100 });
        const { modelId, uploadUrl } = await createModel(p, 'large.glb');
        await p.put(uploadUrl, p.target.glb);
        await p.refused(`POST /models/${modelId}/confirm`, refused(413, 'MODEL_FILE_TOO_LARGE'), {
          body: glb,
        });
      },
    },
    {
      rule: 'the upload URL is valid for about one hour',
      only: 'moves the clock',
      check: async (p) => {
        const { uploadUrl } = await createModel(p, 'late.glb');
        await p.advance(3590);
        expect((await p.put(uploadUrl, p.target.glb)).status).toBe(200);
        await p.advance(20);
        expect((await p.put(uploadUrl, p.target.glb)).status).toBe(403);
      },
    },
    {
      rule: 'a changed upload URL is refused, and an upload URL cannot be used to download',
      check: async (p) => {
        const { uploadUrl } = await createModel(p, 'forged.glb');
        const url = new URL(uploadUrl);
        const name = [...url.searchParams.keys()].at(-1) ?? '';
        url.searchParams.set(name, `${url.searchParams.get(name)?.slice(0, -4)}0000`);
        expect((await p.put(url.href, p.target.glb)).status).toBe(403);
        expect((await p.file(uploadUrl)).status).not.toBe(200);
      },
    },
  ],
};
