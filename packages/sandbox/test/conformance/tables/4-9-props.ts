import { expect } from 'vitest';
import { first } from '../_core-resources.ts';
import { createProp, readyProp, uploadedProp } from '../_library-resources.ts';
import {
  bodyRows,
  created,
  done,
  freshKey,
  invalid,
  many,
  notFound,
  ok,
  refused,
  type Table,
} from '../_rows.ts';
import { Prop, PropChecks, PropConfirmed, PropPage, PropsCreated } from '../_shapes-library.ts';

export const props: Table = {
  section: '4.9 props, 2.13, 3.4',
  rows: [
    ...bodyRows('props contains 1-50 items', 'POST /props', invalid, [
      {},
      { props: [] },
      { props: many(51, () => ({ fileName: 'a.glb' })) },
      { props: {} },
      { props: null },
      { props: ['a.glb'] },
    ]),
    ...bodyRows('fields have the documented types', 'POST /props', invalid, [
      { props: [{ fileName: 7 }] },
      { props: [{ fileName: 'a.glb', fileType: 7 }] },
      { props: [{ fileName: 'a.glb', name: 7 }] },
      { props: [{ fileName: 'a.glb', fileSize: 1.5 }] },
      { props: [{ fileName: 'a.glb', fileSize: '1' }] },
      { props: [{ fileName: 'a.glb', collection: 7 }] },
    ]),
    {
      rule: '50 props are accepted',
      send: 'POST /props',
      body: { props: many(50, (index) => ({ fileName: `p-${index}.glb` })) },
      is: created(PropsCreated),
    },
    ...bodyRows('all fields of an item are optional', 'POST /props', created(PropsCreated), [
      { props: [{ fileName: 'a.glb' }] },
      { props: [{ fileType: 'glb' }] },
      { props: [{ fileType: 'fbx', name: 'Given' }] },
      { props: [{ fileName: 'a.obj', fileSize: 100 }] },
      { props: [{ fileName: 'a.usdz' }] },
      { props: [{ name: 'Given' }] },
      { props: [{}] },
    ]),
    {
      rule: 'the given name is used',
      send: 'POST /props',
      body: { props: [{ fileName: 'x.glb', name: 'Given' }] },
      is: created(PropsCreated, { props: [{ name: 'Given' }] }),
    },
    {
      rule: 'name and fileType are derived from fileName',
      check: async (p) => {
        const { propId, name } = await createProp(p, { fileName: 'Vase.glb' });
        expect(name).toBe('Vase');
        await p.meets(
          `GET /props/${propId}`,
          {},
          ok(Prop, { name: 'Vase', fileType: 'glb', source: 'uploaded' }),
        );
      },
    },
    {
      rule: 'a confirmation without an uploaded file is refused',
      send: 'POST /props/{emptyProp}/confirm',
      is: { status: 400 },
    },
    { rule: 'an unknown prop is refused', send: 'POST /props/{absent}/confirm', is: notFound },
    {
      rule: 'a confirmed prop is ANALYZING, then READY',
      check: async (p) => {
        const { propId, uploadUrl } = await createProp(p);
        expect(await p.put(uploadUrl, p.target.glb)).toEqual({ status: 200, text: '' });
        await p.meets(`POST /props/${propId}/confirm`, {}, done(PropConfirmed, { propId }));
        const seen = new Set<string>();
        await p.until(
          async () => {
            const {
              props: [prop],
            } = await p.ok('POST /props/status', PropChecks, { propIds: [propId] });
            seen.add(prop?.status ?? '');
            expect(prop?.ready).toBe(prop?.status === 'READY');
            return prop?.status;
          },
          (status) => status === 'READY',
          0.5,
        );
        expect([...seen].slice(-2)).toEqual(['ANALYZING', 'READY']);
      },
    },
    {
      rule: 'a prop whose file is not a 3D model becomes FAILED',
      check: async (p) => {
        const { propId, uploadUrl } = await createProp(p);
        await p.put(uploadUrl, Buffer.from('no GLB'));
        await p.send(`POST /props/${propId}/confirm`);
        const {
          props: [prop],
        } = await p.until(
          () => p.ok('POST /props/status', PropChecks, { propIds: [propId] }),
          (answer) => ['FAILED', 'READY'].includes(answer.props[0]?.status ?? ''),
        );
        expect(prop).toMatchObject({ status: 'FAILED', ready: false });
      },
    },
    {
      rule: 'an upload URL is valid for one hour',
      only: 'moves the clock',
      check: async (p) => {
        const { uploadUrl } = await createProp(p);
        await p.advance(3590);
        expect((await p.put(uploadUrl, p.target.glb)).status).toBe(200);
        await p.advance(20);
        expect((await p.put(uploadUrl, p.target.glb)).status).toBe(403);
      },
    },
    ...bodyRows('propIds contains 1-100 ids', 'POST /props/status', invalid, [
      {},
      { propIds: [] },
      { propIds: many(101, (index) => `id-${index}`) },
      { propIds: 'one' },
      { propIds: [7] },
    ]),
    {
      rule: '100 ids are accepted',
      send: 'POST /props/status',
      body: { propIds: many(100, (index) => `id-${index}`) },
      is: ok(PropChecks, { props: [], allReady: false }),
    },
    {
      rule: 'a READY prop is ready, and an unknown id is in notFound',
      send: 'POST /props/status',
      body: { propIds: ['{prop}', '{absent}'] },
      is: ok(PropChecks, {
        props: [{ propId: '{prop}', name: 'vase', status: 'READY', ready: true }],
        allReady: false,
        notFound: ['{absent}'],
      }),
    },
    {
      rule: 'a prop without a file is not ready',
      send: 'POST /props/status',
      body: { propIds: ['{prop}', '{emptyProp}'] },
      is: ok(PropChecks, {
        props: [{ ready: true }, { propId: '{emptyProp}', name: 'vase', ready: false }],
        allReady: false,
        notFound: [],
      }),
    },
    {
      rule: 'allReady is true if all props are ready',
      send: 'POST /props/status',
      body: { propIds: ['{prop}'] },
      is: ok(PropChecks, { allReady: true, notFound: [] }),
    },
    {
      rule: 'a prop can be read',
      send: 'GET /props/{prop}',
      is: ok(Prop, { propId: '{prop}', status: 'READY', source: 'uploaded' }),
    },
    { rule: 'an unknown prop is refused', send: 'GET /props/{absent}', is: notFound },
    { rule: 'props are listed', send: 'GET /props', is: ok(PropPage) },
    {
      rule: 'the list is filtered by status, name and collectionId',
      on: {},
      check: async (p) => {
        const ready = await readyProp(p, { fileName: 'Lamp.glb', collection: 'Lights' });
        const { propId: empty } = await createProp(p, { fileName: 'Table.glb' });
        const { collectionId } = await p.ok(`GET /props/${ready}`, Prop);
        for (const [query, ids] of [
          ['status=READY', [ready]],
          ['name=lamp', [ready]],
          ['name=TABLE', [empty]],
          [`collectionId=${collectionId}`, [ready]],
          ['collectionId=nothing', []],
          ['status=READY&name=table', []],
        ] as const) {
          const page = await p.ok(`GET /props?${query}`, PropPage);
          expect(
            page.props.map(({ propId }) => propId),
            query,
          ).toEqual(ids);
          expect(page.total).toBe(ids.length);
        }
      },
    },
    {
      rule: 'all props can be read in pages with limit and offset',
      on: {},
      check: async (p) => {
        const made = await p.ok('POST /props', PropsCreated, {
          props: many(5, (index) => ({ fileName: `p${index}.glb` })),
        });
        const seen: string[] = [];
        for (const offset of [0, 2, 4]) {
          const page = await p.ok(`GET /props?limit=2&offset=${offset}`, PropPage);
          expect(page).toMatchObject({ total: 5, limit: 2, offset });
          seen.push(...page.props.map(({ propId }) => propId));
        }
        expect(seen.toSorted()).toEqual(made.props.map(({ propId }) => propId).toSorted());
      },
    },
    {
      rule: 'a collection is created on first use and matched by name afterwards',
      check: async (p) => {
        const ids = [];
        for (const collection of ['Kitchen', 'Kitchen', 'Garden']) {
          const { propId } = await createProp(p, { fileName: 'x.glb', collection });
          ids.push((await p.ok(`GET /props/${propId}`, Prop)).collectionId);
        }
        expect(ids[0]).toEqual(expect.any(String));
        expect(ids[1]).toBe(ids[0]);
        expect(ids[2]).not.toBe(ids[0]);
      },
    },
    {
      rule: 'a file over the storage limit is refused with STORAGE_LIMIT_REACHED',
      on: {},
      check: async (p) => {
        await p.controls.limits({ storageBytes: 10 });
        const body = { props: [{ fileName: 'a.glb', fileSize: 1000 }] };
        await p.refused('POST /props', refused(403, 'STORAGE_LIMIT_REACHED'), { body });
      },
    },
    {
      rule: 'a repeat with the same Idempotency-Key returns the original response',
      check: async (p) => {
        const options = {
          body: { props: [{ fileName: 'once.glb' }] },
          headers: { 'idempotency-key': freshKey() },
        };
        const [one, two] = [
          await p.send('POST /props', options),
          await p.send('POST /props', options),
        ];
        expect(two.text).toBe(one.text);
        expect(one.status).toBe(201);
      },
    },
    {
      rule: 'DELETE removes the prop permanently',
      check: async (p) => {
        const propId = await uploadedProp(p);
        const answer = await p.meets(`DELETE /props/${propId}`, {}, ok());
        expect(answer.body).toEqual({ deleted: true, propId });
        await p.refused(`GET /props/${propId}`, notFound);
        await p.refused(`DELETE /props/${propId}`, notFound);
        await p.refused(`PATCH /props/${propId}`, notFound, { body: { name: 'x' } });
        const { props: left } = await p.ok('GET /props?limit=100', PropPage);
        expect(left.map((item) => item.propId)).not.toContain(propId);
        const { notFound: missing } = await p.ok('POST /props/status', PropChecks, {
          propIds: [propId],
        });
        expect(missing).toEqual([propId]);
      },
    },
    {
      rule: 'a thumbnail, if there is one, is an image',
      check: async (p) => {
        const { thumbnailUrl } = await p.ok('GET /props/{prop}', Prop);
        if (p.isSandbox) expect(thumbnailUrl).not.toBeNull();
        if (thumbnailUrl === null) return;
        const { status, headers } = await p.file(thumbnailUrl);
        expect([status, headers.get('content-type')?.split('/')[0]]).toEqual([200, 'image']);
      },
    },
    {
      rule: 'each prop has its own upload key',
      check: async (p) => {
        const { props: made } = await p.ok('POST /props', PropsCreated, {
          props: many(3, () => ({ fileName: 'same.glb' })),
        });
        expect(new Set(made.map(({ uploadKey }) => uploadKey)).size).toBe(3);
        expect(first(made).name).toBe('same');
      },
    },
  ],
};
