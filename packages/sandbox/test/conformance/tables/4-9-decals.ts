import { expect } from 'vitest';
import { type ImageType, image } from '../_images.ts';
import { createDecal, readyDecal } from '../_library-resources.ts';
import {
  bodyRows,
  created,
  done,
  freshKey,
  invalid,
  many,
  notFound,
  ok,
  type Row,
  type Table,
} from '../_rows.ts';
import {
  Decal,
  DecalChecks,
  DecalConfirmed,
  DecalPage,
  DecalsCreated,
} from '../_shapes-library.ts';

const types: readonly ImageType[] = ['png', 'jpg', 'jpeg', 'webp', 'gif', 'svg', 'tif', 'tiff'];
const png = { fileName: 'a.png', fileType: 'png' };

export const decals: Table = {
  section: '4.9 decals, 2.13, 3.4',
  rows: [
    ...bodyRows('decals contains 1-50 items', 'POST /decals', invalid, [
      {},
      { decals: [] },
      { decals: many(51, () => png) },
      { decals: png },
      { decals: null },
    ]),
    {
      rule: '50 decals are accepted',
      send: 'POST /decals',
      body: { decals: many(50, () => png) },
      is: created(DecalsCreated),
    },
    ...bodyRows(
      'fileType is png, jpg, jpeg, webp, gif, svg, tif or tiff',
      'POST /decals',
      invalid,
      [
        { decals: [{ fileName: 'a', fileType: 'bmp' }] },
        { decals: [{ fileName: 'a', fileType: 'pdf' }] },
        { decals: [{ fileName: 'a', fileType: '.png' }] },
        { decals: [{ fileName: 'a', fileType: 'glb' }] },
        { decals: [{ fileName: 'a', fileType: 'exr' }] },
        { decals: [{ fileName: 'a', fileType: '' }] },
        { decals: [{ fileName: 'a', fileType: 7 }] },
      ],
    ),
    ...bodyRows('fields have the documented types', 'POST /decals', invalid, [
      { decals: [{ ...png, name: 7 }] },
      { decals: [{ ...png, fileName: 7 }] },
      { decals: [{ ...png, fileSize: 1.5 }] },
      { decals: [{ ...png, collection: 7 }] },
    ]),
    ...types.map(
      (fileType): Row => ({
        rule: `a ${fileType} decal is READY with its dimensions as soon as it is confirmed`,
        check: async (p) => {
          const { decalId, uploadUrl, contentType } = await createDecal(p, {
            fileName: `logo.${fileType}`,
            fileType,
          });
          expect((await p.put(uploadUrl, await image(fileType), contentType)).status).toBe(200);
          await p.meets(`POST /decals/${decalId}/confirm`, {}, done(DecalConfirmed, { decalId }));
          await p.meets(
            `GET /decals/${decalId}`,
            {},
            ok(Decal, { decalId, status: 'READY', fileType, width: 12, height: 8 }),
          );
        },
      }),
    ),
    ...['image/jpeg', 'application/octet-stream', 'image/PNG2', 'image/png; charset=utf-8'].map(
      (contentType): Row => ({
        rule: `storage refuses a PUT with another Content-Type: ${contentType}`,
        check: async (p) => {
          const { decalId, uploadUrl } = await createDecal(p);
          const { status } = await p.put(uploadUrl, await image(), contentType);
          expect(status).toBeGreaterThanOrEqual(400);
          expect((await p.send(`POST /decals/${decalId}/confirm`)).status).toBe(400);
        },
      }),
    ),
    {
      rule: 'an upload URL is valid for one hour',
      only: 'moves the clock',
      check: async (p) => {
        const { uploadUrl, contentType } = await createDecal(p);
        await p.advance(3590);
        expect((await p.put(uploadUrl, await image(), contentType)).status).toBe(200);
        await p.advance(20);
        expect((await p.put(uploadUrl, await image(), contentType)).status).toBe(403);
      },
    },
    {
      rule: 'the given name is used, or else a name is derived from fileName',
      send: 'POST /decals',
      body: {
        decals: [
          { ...png, name: 'Given' },
          { ...png, fileName: 'Crest.png' },
        ],
      },
      is: created(DecalsCreated, { decals: [{ name: 'Given' }, { name: 'Crest' }] }),
    },
    {
      rule: 'a confirmation without an uploaded file is refused',
      send: 'POST /decals/{emptyDecal}/confirm',
      is: { status: 400 },
    },
    { rule: 'an unknown decal is refused', send: 'POST /decals/{absent}/confirm', is: notFound },
    ...bodyRows('decalIds contains 1-100 ids', 'POST /decals/status', invalid, [
      {},
      { decalIds: [] },
      { decalIds: many(101, (index) => `id-${index}`) },
      { decalIds: 'one' },
    ]),
    {
      rule: '100 ids are accepted',
      send: 'POST /decals/status',
      body: { decalIds: many(100, (index) => `id-${index}`) },
      is: ok(DecalChecks, { decals: [] }),
    },
    {
      rule: 'a READY decal is ready, and an unknown id is in notFound',
      send: 'POST /decals/status',
      body: { decalIds: ['{decal}', '{absent}'] },
      is: ok(DecalChecks, {
        decals: [{ decalId: '{decal}', name: 'logo', status: 'READY', ready: true }],
        allReady: false,
        notFound: ['{absent}'],
      }),
    },
    {
      rule: 'a decal without a file is not ready',
      send: 'POST /decals/status',
      body: { decalIds: ['{decal}', '{emptyDecal}'] },
      is: ok(DecalChecks, {
        decals: [{ ready: true }, { decalId: '{emptyDecal}', name: 'logo', ready: false }],
        allReady: false,
        notFound: [],
      }),
    },
    {
      rule: 'allReady is true if all decals are ready',
      send: 'POST /decals/status',
      body: { decalIds: ['{decal}'] },
      is: ok(DecalChecks, { allReady: true }),
    },
    {
      rule: 'a decal can be read',
      send: 'GET /decals/{decal}',
      is: ok(Decal, { decalId: '{decal}' }),
    },
    { rule: 'a decal without a file can be read', send: 'GET /decals/{emptyDecal}', is: ok(Decal) },
    { rule: 'an unknown decal is refused', send: 'GET /decals/{absent}', is: notFound },
    { rule: 'decals are listed', send: 'GET /decals', is: ok(DecalPage) },
    {
      rule: 'the list is filtered by status, name and collectionId',
      on: {},
      check: async (p) => {
        const ready = await readyDecal(p, {
          fileName: 'Crest.png',
          fileType: 'png',
          collection: 'Logos',
        });
        const { decalId: empty } = await createDecal(p, { fileName: 'Badge.png', fileType: 'png' });
        const { collectionId } = await p.ok(`GET /decals/${ready}`, Decal);
        for (const [query, ids] of [
          ['status=READY', [ready]],
          ['name=crest', [ready]],
          ['name=BADGE', [empty]],
          [`collectionId=${collectionId}`, [ready]],
          ['collectionId=nothing', []],
          ['status=READY&name=badge', []],
        ] as const) {
          const page = await p.ok(`GET /decals?${query}`, DecalPage);
          expect(
            page.decals.map(({ decalId }) => decalId),
            query,
          ).toEqual(ids);
          expect(page.total).toBe(ids.length);
        }
      },
    },
    {
      rule: 'a repeat with the same Idempotency-Key returns the original response',
      check: async (p) => {
        const options = { body: { decals: [png] }, headers: { 'idempotency-key': freshKey() } };
        const [one, two] = [
          await p.send('POST /decals', options),
          await p.send('POST /decals', options),
        ];
        expect([one.status, two.text]).toEqual([201, one.text]);
      },
    },
    {
      rule: 'DELETE removes the decal permanently',
      check: async (p) => {
        const decalId = await readyDecal(p);
        const answer = await p.meets(`DELETE /decals/${decalId}`, {}, ok());
        expect(answer.body).toEqual({ deleted: true, decalId });
        await p.refused(`GET /decals/${decalId}`, notFound);
        await p.refused(`DELETE /decals/${decalId}`, notFound);
        await p.refused(`PATCH /decals/${decalId}`, notFound, { body: { name: 'x' } });
        const { decals: left } = await p.ok('GET /decals?limit=100', DecalPage);
        expect(left.map((item) => item.decalId)).not.toContain(decalId);
      },
    },
  ],
};
