import { expect } from 'vitest';
import { z } from 'zod';
import { createMaterial, createProp, readyDecal, readyProp } from '../_library-resources.ts';
import type { Platform } from '../_platform.ts';
import { invalid, notFound, ok, type Row, type Table } from '../_rows.ts';
import { Decal, Material, Prop } from '../_shapes-library.ts';

interface Kind {
  readonly path: string;
  readonly thing: string;
  readonly shape: z.ZodType;
  readonly make: (p: Platform) => Promise<string>;
}

const kinds: readonly Kind[] = [
  { path: '/props', thing: '{prop}', shape: Prop, make: async (p) => (await createProp(p)).propId },
  { path: '/decals', thing: '{decal}', shape: Decal, make: (p) => readyDecal(p) },
  {
    path: '/materials',
    thing: '{material}',
    shape: Material,
    make: async (p) => (await createMaterial(p)).materialId,
  },
];

const Collected = z.looseObject({ collectionId: z.string().nullable() });

function rowsOf({ path, thing, shape, make }: Kind): Row[] {
  const patch = `PATCH ${path}/${thing}`;
  return [
    {
      rule: 'a new name is accepted, and the response is the updated item',
      send: patch,
      body: { name: 'Renamed' },
      is: ok(shape, { name: 'Renamed' }),
    },
    { rule: 'name is a string', send: patch, body: { name: 7 }, is: invalid },
    { rule: 'collection is a name or null', send: patch, body: { collection: 7 }, is: invalid },
    { rule: 'collectionId is an id or null', send: patch, body: { collectionId: 7 }, is: invalid },
    {
      rule: 'an unknown collection is refused',
      send: patch,
      body: { collectionId: '{absent}' },
      is: notFound,
    },
    {
      rule: 'an unknown item is refused',
      send: `PATCH ${path}/{absent}`,
      body: { name: 'x' },
      is: notFound,
    },
    { rule: 'an unknown item is refused', send: `DELETE ${path}/{absent}`, is: notFound },
    {
      rule: `${path}: collection is created if missing and wins over collectionId; null removes either`,
      check: async (p) => {
        const id = await make(p);
        const set = async (body: object) =>
          (await p.ok(`PATCH ${path}/${id}`, Collected, body)).collectionId;
        const chairs = await set({ collection: 'Chairs' });
        expect(chairs).toEqual(expect.any(String));
        const tables = await set({ collection: 'Tables' });
        expect(tables).not.toBe(chairs);
        expect(await set({ collection: 'Chairs' })).toBe(chairs);
        expect(await set({ collection: null })).toBeNull();
        expect(await set({ collectionId: tables })).toBe(tables);
        expect(await set({ name: 'Named' })).toBe(tables);
        expect(await set({ collectionId: null })).toBeNull();
        expect(await set({ collection: 'Chairs', collectionId: tables })).toBe(chairs);
        expect(await set({ collection: null, collectionId: tables })).toBeNull();
        expect(await set({ collection: 'Chairs', collectionId: 'nothing' })).toBe(chairs);
      },
    },
  ];
}

export const libraryManagement: Table = {
  section: '4.10 library management',
  rows: [
    ...kinds.flatMap(rowsOf),
    {
      rule: 'a change of a model needs a name',
      send: 'PATCH /models/{model}',
      body: { collection: 'Chairs' },
      is: invalid,
    },
    {
      rule: 'DELETE removes the thumbnail of a prop, if there is one',
      check: async (p) => {
        const propId = await readyProp(p);
        const { thumbnailUrl } = await p.ok(`GET /props/${propId}`, Prop);
        if (p.isSandbox) expect(thumbnailUrl).not.toBeNull();
        if (thumbnailUrl === null) return;
        expect((await p.file(thumbnailUrl)).status).toBe(200);
        await p.send(`DELETE /props/${propId}`);
        expect((await p.file(thumbnailUrl)).status).not.toBe(200);
      },
    },
  ],
};
