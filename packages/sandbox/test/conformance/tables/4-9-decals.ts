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
    ...bodyRows('decals: 1-50', 'POST /decals', invalid, [
      {},
      { decals: [] },
      { decals: many(51, () => png) },
      { decals: png },
      { decals: null },
    ]),
    {
      rule: '50 decals',
      send: 'POST /decals',
      body: { decals: many(50, () => png) },
      is: created(DecalsCreated),
    },
    ...bodyRows('fileType: png, jpg, jpeg, webp, gif, svg, tif, tiff', 'POST /decals', invalid, [
      { decals: [{ fileName: 'a', fileType: 'bmp' }] },
      { decals: [{ fileName: 'a', fileType: 'pdf' }] },
      { decals: [{ fileName: 'a', fileType: '.png' }] },
      { decals: [{ fileName: 'a', fileType: 'glb' }] },
      { decals: [{ fileName: 'a', fileType: 'exr' }] },
      { decals: [{ fileName: 'a', fileType: '' }] },
      { decals: [{ fileName: 'a', fileType: 7 }] },
    ]),
    ...bodyRows('types of the fields', 'POST /decals', invalid, [
      { decals: [{ ...png, name: 7 }] },
      { decals: [{ ...png, fileName: 7 }] },
      { decals: [{ ...png, fileSize: 1.5 }] },
      { decals: [{ ...png, collection: 7 }] },
    ]),
    ...types.map(
      (fileType): Row => ({
        rule: `${fileType}: PUT with the returned contentType, confirm: READY at once, with its dimensions`,
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
      rule: 'the upload URL is valid 1 hour',
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
      rule: 'name as given, else from fileName',
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
      rule: 'no file was uploaded',
      send: 'POST /decals/{emptyDecal}/confirm',
      is: { status: 400 },
    },
    { rule: 'missing', send: 'POST /decals/{absent}/confirm', is: notFound },
    ...bodyRows('decalIds: 1-100', 'POST /decals/status', invalid, [
      {},
      { decalIds: [] },
      { decalIds: many(101, (index) => `id-${index}`) },
      { decalIds: 'one' },
    ]),
    {
      rule: '100 ids',
      send: 'POST /decals/status',
      body: { decalIds: many(100, (index) => `id-${index}`) },
      is: ok(DecalChecks, { decals: [] }),
    },
    {
      rule: 'ready and missing',
      send: 'POST /decals/status',
      body: { decalIds: ['{decal}', '{absent}'] },
      is: ok(DecalChecks, {
        decals: [{ decalId: '{decal}', name: 'logo', status: 'READY', ready: true }],
        allReady: false,
        notFound: ['{absent}'],
      }),
    },
    {
      rule: 'not ready',
      send: 'POST /decals/status',
      body: { decalIds: ['{decal}', '{emptyDecal}'] },
      is: ok(DecalChecks, {
        decals: [{ ready: true }, { decalId: '{emptyDecal}', name: 'logo', ready: false }],
        allReady: false,
        notFound: [],
      }),
    },
    {
      rule: 'all ready',
      send: 'POST /decals/status',
      body: { decalIds: ['{decal}'] },
      is: ok(DecalChecks, { allReady: true }),
    },
    { rule: 'one decal', send: 'GET /decals/{decal}', is: ok(Decal, { decalId: '{decal}' }) },
    { rule: 'a decal without a file', send: 'GET /decals/{emptyDecal}', is: ok(Decal) },
    { rule: 'missing', send: 'GET /decals/{absent}', is: notFound },
    { rule: 'the list', send: 'GET /decals', is: ok(DecalPage) },
    {
      rule: 'filters mirror those of props: status, name, collectionId',
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
      rule: 'Idempotency-Key: the original response verbatim',
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
      rule: 'DELETE: {deleted: true, decalId}, for good',
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
