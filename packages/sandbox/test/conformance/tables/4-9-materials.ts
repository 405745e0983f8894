import { expect } from 'vitest';
import { image } from '../_images.ts';
import {
  confirmedMaterial,
  createMaterial,
  finishedMaterial,
  readyMaterial,
} from '../_library-resources.ts';
import {
  bodyRows,
  created,
  done,
  freshKey,
  invalid,
  many,
  notFound,
  ok,
  type Table,
} from '../_rows.ts';
import {
  channels,
  MaterialChecks,
  MaterialConfirmed,
  MaterialCreated,
  MaterialPage,
} from '../_shapes-library.ts';

const diffuse = { channel: 'diffuse', fileType: 'png' };
const material = { name: 'Oak', textures: [diffuse] };

export const materials: Table = {
  section: '4.9 materials, 2.13, 3.4',
  rows: [
    ...bodyRows('name is required', 'POST /materials', invalid, [
      { textures: [diffuse] },
      { ...material, name: 7 },
      { ...material, name: null },
    ]),
    ...bodyRows(
      'textures is required and contains at least one texture',
      'POST /materials',
      invalid,
      [
        { name: 'Oak' },
        { name: 'Oak', textures: [] },
        { name: 'Oak', textures: diffuse },
        { name: 'Oak', textures: ['diffuse'] },
      ],
    ),
    ...bodyRows(
      'channel is diffuse, normal, roughness, metallic, depth or opacity',
      'POST /materials',
      invalid,
      [
        { name: 'Oak', textures: [{ ...diffuse, channel: 'albedo' }] },
        { name: 'Oak', textures: [{ ...diffuse, channel: 'Diffuse' }] },
        { name: 'Oak', textures: [{ ...diffuse, channel: '' }] },
        { name: 'Oak', textures: [{ fileType: 'png' }] },
      ],
    ),
    ...bodyRows('fileType is png, jpg, jpeg or exr', 'POST /materials', invalid, [
      { name: 'Oak', textures: [{ ...diffuse, fileType: 'webp' }] },
      { name: 'Oak', textures: [{ ...diffuse, fileType: 'tif' }] },
      { name: 'Oak', textures: [{ ...diffuse, fileType: '.png' }] },
      { name: 'Oak', textures: [{ channel: 'diffuse' }] },
    ]),
    ...(['png', 'jpg', 'jpeg', 'exr'] as const).map((fileType) => ({
      rule: `each channel has an upload named '<channel>.<ext>': ${fileType}`,
      send: 'POST /materials',
      body: { name: 'Oak', textures: [{ channel: 'diffuse', fileType }] },
      is: created(MaterialCreated, {
        name: 'Oak',
        collectionId: null,
        uploads: [{ channel: `diffuse.${fileType}` }],
      }),
    })),
    {
      rule: 'all six channels have uploads, which are listed in uploadedTypes',
      check: async (p) => {
        const textures = channels.map((channel) => ({ channel, fileType: 'png' }));
        const made = await createMaterial(p, { textures });
        expect(made.uploads.map(({ channel }) => channel)).toEqual(
          channels.map((channel) => `${channel}.png`),
        );
        expect(made.uploadedTypes).toEqual(made.uploads.map(({ channel }) => channel));
      },
    },
    {
      rule: 'a collection is created on first use and matched by name afterwards',
      check: async (p) => {
        const one = await createMaterial(p, { collection: 'Woods' });
        const two = await createMaterial(p, { collection: 'Woods' });
        expect(one.collectionId).toEqual(expect.any(String));
        expect(two.collectionId).toBe(one.collectionId);
      },
    },
    ...bodyRows(
      'name is a string, and uploadedTypes contains at least one type',
      'POST /materials/{emptyMaterial}/confirm',
      invalid,
      [
        {},
        { name: 'Oak', uploadedTypes: [] },
        { name: 'Oak' },
        { name: 'Oak', uploadedTypes: 'diffuse.png' },
        { name: 7, uploadedTypes: ['diffuse.png'] },
      ],
    ),
    {
      rule: 'an unknown material is refused',
      send: 'POST /materials/{absent}/confirm',
      body: { name: 'Oak', uploadedTypes: ['diffuse.png'], collectionId: null },
      is: notFound,
    },
    {
      rule: 'a confirmed material is processing, then ready',
      check: async (p) => {
        const made = await createMaterial(p);
        for (const { uploadUrl } of made.uploads)
          await p.put(uploadUrl, await image(), 'image/png');
        const { materialId, name, uploadedTypes, collectionId } = made;
        const body = { name, uploadedTypes, collectionId };
        await p.meets(
          `POST /materials/${materialId}/confirm`,
          { body },
          done(MaterialConfirmed, { materialId }),
        );
        await p.meets(
          'POST /materials/status',
          { body: { materialIds: [materialId] } },
          ok(MaterialChecks, {
            materials: [{ materialId, status: 'processing' }],
            allReady: false,
          }),
        );
        const {
          materials: [ended],
          allReady,
        } = await finishedMaterial(p, materialId);
        expect([ended?.status, allReady]).toEqual(['ready', true]);
      },
    },
    {
      rule: 'a material with a texture that is not an image becomes failed, with an error',
      check: async (p) => {
        const materialId = await confirmedMaterial(p, {}, Buffer.from('no image'));
        const {
          materials: [ended],
          allReady,
        } = await finishedMaterial(p, materialId);
        expect([ended?.status, allReady]).toEqual(['failed', false]);
        expect(ended?.error).toEqual(expect.any(String));
      },
    },
    {
      rule: 'an upload URL is valid for one hour',
      only: 'moves the clock',
      check: async (p) => {
        const {
          uploads: [upload],
        } = await createMaterial(p);
        await p.advance(3590);
        expect((await p.put(upload?.uploadUrl ?? '', await image(), 'image/png')).status).toBe(200);
        await p.advance(20);
        expect((await p.put(upload?.uploadUrl ?? '', await image(), 'image/png')).status).toBe(403);
      },
    },
    ...bodyRows('materialIds contains 1-100 ids', 'POST /materials/status', invalid, [
      {},
      { materialIds: [] },
      { materialIds: many(101, (index) => `id-${index}`) },
      { materialIds: 'one' },
      { materialIds: [7] },
    ]),
    {
      rule: 'an unknown id is not ready',
      send: 'POST /materials/status',
      body: { materialIds: ['{absent}'] },
      is: ok(MaterialChecks, { allReady: false }),
    },
    {
      rule: 'a processed material is ready',
      send: 'POST /materials/status',
      body: { materialIds: ['{material}'] },
      is: ok(MaterialChecks, {
        materials: [{ materialId: '{material}', status: 'ready' }],
        allReady: true,
      }),
    },
    { rule: 'materials are listed', send: 'GET /materials', is: ok(MaterialPage) },
    {
      rule: 'materials are listed newest first, in pages',
      on: {},
      check: async (p) => {
        const made: string[] = [];
        for (const name of ['A', 'B', 'C']) {
          made.unshift(await confirmedMaterial(p, { name }));
          await p.advance(1);
        }
        const one = await p.ok('GET /materials?limit=2', MaterialPage);
        const two = await p.ok('GET /materials?limit=2&offset=2', MaterialPage);
        expect(one).toMatchObject({ total: 3, limit: 2, offset: 0 });
        expect([...one.materials, ...two.materials].map(({ materialId }) => materialId)).toEqual(
          made,
        );
      },
    },
    {
      rule: 'search matches names fuzzily',
      on: {},
      check: async (p) => {
        const oak = await readyMaterial(p, { name: 'Weathered Oak' });
        await readyMaterial(p, { name: 'Brushed Steel' });
        for (const search of ['oak', 'OAK', 'weathered', 'wethered']) {
          const { materials: found } = await p.ok(`GET /materials?search=${search}`, MaterialPage);
          expect(found[0]?.materialId, search).toBe(oak);
        }
        const none = await p.ok('GET /materials?search=zzzzqqqq', MaterialPage);
        expect(none).toMatchObject({ materials: [], total: 0 });
      },
    },
    {
      rule: 'search also matches colours',
      on: {},
      check: async (p) => {
        const red = await readyMaterial(
          p,
          { name: 'First' },
          await image('png', { color: '#c81818' }),
        );
        const blue = await readyMaterial(
          p,
          { name: 'Second' },
          await image('png', { color: '#1830c8' }),
        );
        for (const [search, expected] of [
          ['red', red],
          ['blue', blue],
        ] as const) {
          const { materials: found } = await p.ok(`GET /materials?search=${search}`, MaterialPage);
          expect(
            found.map(({ materialId }) => materialId),
            search,
          ).toEqual([expected]);
        }
      },
    },
    {
      rule: 'a repeat with the same Idempotency-Key returns the original response',
      check: async (p) => {
        const options = { body: material, headers: { 'idempotency-key': freshKey() } };
        const [one, two] = [
          await p.send('POST /materials', options),
          await p.send('POST /materials', options),
        ];
        expect([one.status, two.text]).toEqual([201, one.text]);
      },
    },
    {
      rule: 'DELETE removes the material permanently',
      check: async (p) => {
        const materialId = await readyMaterial(p);
        const answer = await p.meets(`DELETE /materials/${materialId}`, {}, ok());
        expect(answer.body).toEqual({ deleted: true, materialId });
        await p.refused(`DELETE /materials/${materialId}`, notFound);
        await p.refused(`PATCH /materials/${materialId}`, notFound, { body: { name: 'x' } });
        const { materials: left } = await p.ok('GET /materials?limit=100', MaterialPage);
        expect(left.map((item) => item.materialId)).not.toContain(materialId);
      },
    },
  ],
};
