import { expect } from 'vitest';
import { createProperty, definitions, optionIds, read } from '../_property-resources.ts';
import { bodyRows, done, invalid, many, notFound, ok, type Row, type Table } from '../_rows.ts';
import { assetTypes, Properties } from '../_shapes-library.ts';

const text = { name: 'Brand', type: 'TEXT' };

export const propertyDefinitions: Table = {
  section: '4.11 property definitions, 2.14',
  rows: [
    ...bodyRows('name and type are required', 'POST /properties', invalid, [
      {},
      { name: 'x' },
      { type: 'TEXT' },
      { name: 7, type: 'TEXT' },
      { name: '', type: 'TEXT' },
    ]),
    ...bodyRows('type is SELECT, MULTI_SELECT, TEXT, NUMBER or DATE', 'POST /properties', invalid, [
      { name: 'x', type: 'BOOLEAN' },
      { name: 'x', type: 'text' },
      { name: 'x', type: 7 },
    ]),
    ...bodyRows(
      'options are labels, and only select types have them',
      'POST /properties',
      invalid,
      [
        { ...text, options: ['a'] },
        { name: 'x', type: 'NUMBER', options: ['a'] },
        { name: 'x', type: 'SELECT', options: 'a' },
        { name: 'x', type: 'SELECT', options: [7] },
      ],
    ),
    ...bodyRows('appliesTo is an array of asset types', 'POST /properties', invalid, [
      { ...text, appliesTo: ['CHAIR'] },
      { ...text, appliesTo: ['model'] },
      { ...text, appliesTo: 'MODEL' },
    ]),
    ...bodyRows('dateRange is a boolean, and only DATE has it', 'POST /properties', invalid, [
      { ...text, dateRange: true },
      { name: 'x', type: 'SELECT', dateRange: true },
      { name: 'x', type: 'DATE', dateRange: 'yes' },
    ]),
    { rule: 'property definitions are listed', send: 'GET /properties', is: ok(Properties) },
    { rule: 'assetType is one of ten types', send: 'GET /properties?assetType=CHAIR', is: invalid },
    { rule: 'an unknown property is refused', send: 'GET /properties/{absent}', is: notFound },
    ...(['SELECT', 'MULTI_SELECT', 'TEXT', 'NUMBER', 'DATE'] as const).map(
      (type): Row => ({
        rule: `a ${type} property without appliesTo applies to all ten asset types`,
        check: async (p) => {
          const property = await createProperty(p, type);
          expect(property).toMatchObject({ type, archived: false });
          expect(property.appliesTo.toSorted()).toEqual([...assetTypes].toSorted());
          await p.meets(`GET /properties/${property.id}`, {}, ok());
        },
      }),
    ),
    {
      rule: 'options are created from the labels, in their order',
      check: async (p) => {
        const { options = [] } = await createProperty(p, 'SELECT', {
          options: ['Red', 'Green', 'Blue'],
        });
        expect(options.map(({ label }) => label)).toEqual(['Red', 'Green', 'Blue']);
        expect(options.every(({ archived }) => !archived)).toBe(true);
        const orders = options.map(({ sortOrder }) => sortOrder);
        expect(orders).toEqual(orders.toSorted((a, b) => a - b));
      },
    },
    {
      rule: 'appliesTo is stored as given, and the list filters by assetType',
      check: async (p) => {
        const property = await createProperty(p, 'TEXT', { appliesTo: ['MODEL', 'PROP'] });
        expect(property.appliesTo.toSorted()).toEqual(['MODEL', 'PROP']);
        const ids = async (assetType: string) =>
          (await definitions(p, `?assetType=${assetType}`)).map(({ id }) => id);
        expect(await ids('MODEL')).toContain(property.id);
        expect(await ids('PROP')).toContain(property.id);
        expect(await ids('DECAL')).not.toContain(property.id);
      },
    },
    {
      rule: 'dateRange is stored as given, false by default, and absent from other types',
      check: async (p) => {
        expect((await createProperty(p, 'DATE', { dateRange: true })).dateRange).toBe(true);
        expect((await createProperty(p, 'DATE')).dateRange).toBe(false);
        expect(await createProperty(p, 'TEXT')).not.toHaveProperty('dateRange');
      },
    },
    {
      rule: 'a rename changes neither id nor key',
      check: async (p) => {
        const before = await createProperty(p, 'TEXT');
        await p.meets(
          `PATCH /properties/${before.id}`,
          { body: { name: 'Called otherwise' } },
          ok(),
        );
        expect(await read(p, before.id)).toEqual({ ...before, name: 'Called otherwise' });
      },
    },
    {
      rule: 'type and dateRange cannot be changed',
      check: async (p) => {
        const before = await createProperty(p, 'DATE');
        for (const body of [{ type: 'TEXT' }, { dateRange: true }]) {
          await p.send(`PATCH /properties/${before.id}`, { body });
        }
        expect(await read(p, before.id)).toEqual(before);
      },
    },
    ...bodyRows('name is a non-empty string', 'PATCH /properties/{textProperty}', invalid, [
      { name: 7 },
      { name: null },
      { name: '' },
    ]),
    {
      rule: 'DELETE archives a property, which includeArchived lists and archived: false restores',
      check: async (p) => {
        const before = await createProperty(p, 'SELECT', { options: ['A', 'B'] });
        await p.meets(`DELETE /properties/${before.id}`, {}, ok());
        const shown = async (query: string) =>
          (await definitions(p, query)).some(({ id }) => id === before.id);
        expect([
          await shown(''),
          await shown('?includeArchived=false'),
          await shown('?includeArchived=true'),
        ]).toEqual([false, false, true]);
        expect(await read(p, before.id)).toEqual({ ...before, archived: true });
        await p.meets(`PATCH /properties/${before.id}`, { body: { archived: false } }, ok());
        expect(await read(p, before.id)).toEqual(before);
        expect(await shown('')).toBe(true);
      },
    },
    {
      rule: 'reorder sets the order of the properties',
      on: {},
      check: async (p) => {
        const made = [];
        for (const type of ['TEXT', 'NUMBER', 'DATE'] as const)
          made.push((await createProperty(p, type)).id);
        const [one = '', two = '', three = ''] = made;
        const ids = [three, one, two];
        await p.meets('POST /properties/reorder', { body: { ids } }, done());
        expect((await definitions(p)).map(({ id }) => id)).toEqual(ids);
      },
    },
    ...bodyRows('ids is an array of property ids', 'POST /properties/reorder', invalid, [
      {},
      { ids: 'a' },
      { ids: [7] },
    ]),
    {
      rule: 'an unknown id cannot be reordered',
      send: 'POST /properties/reorder',
      body: { ids: ['{absent}'] },
      is: { status: [400, 404] },
    },
    {
      rule: 'at most 30 properties are active, and archived properties do not count',
      on: {},
      check: async (p) => {
        for (const index of many(30, (number) => number)) {
          await p.meets('POST /properties', { body: { name: `P${index}`, type: 'TEXT' } }, done());
        }
        const more = { body: { name: 'One more', type: 'TEXT' } };
        expect((await p.send('POST /properties', more)).status).toBe(400);
        const [firstOne] = await definitions(p);
        await p.meets(`DELETE /properties/${firstOne?.id}`, {}, ok());
        await p.meets('POST /properties', more, done());
        const restored = await p.send(`PATCH /properties/${firstOne?.id}`, {
          body: { archived: false },
        });
        expect(restored.status).toBe(400);
      },
    },
    {
      rule: 'a member reads definitions and writes values, but cannot change definitions; an admin can',
      on: {},
      check: async (p) => {
        const property = await createProperty(p, 'SELECT', { options: ['A', 'B'] });
        const { A, B } = optionIds(property);
        await p.controls.role('member');
        const path = `/properties/${property.id}`;
        const writes: [string, unknown?][] = [
          ['POST /properties', text],
          [`PATCH ${path}`, { name: 'x' }],
          [`DELETE ${path}`],
          ['POST /properties/reorder', { ids: [property.id] }],
          [`POST ${path}/options`, { label: 'C' }],
          [`PATCH ${path}/options/${A}`, { label: 'x' }],
          [`POST ${path}/options/merge`, { fromOptionId: A, intoOptionId: B }],
          [`POST ${path}/convert-tag`, { tagId: 'x' }],
        ];
        for (const [send, body] of writes) {
          const { status } = await p.send(send, { body });
          expect(status, send).toBe(403);
        }
        expect(await read(p, property.id)).toEqual(property);
        const modelId = await p.resources.id('model');
        const set = [{ propertyId: property.id, optionIds: [A] }];
        await p.meets(
          'POST /assets/properties',
          { body: { assetType: 'MODEL', ids: [modelId], set } },
          ok(undefined, { updated: 1 }),
        );
        await p.meets(`GET /assets/MODEL/${modelId}/properties`, {}, ok());
        await p.controls.role('admin');
        await p.meets(`PATCH ${path}`, { body: { name: 'By an admin' } }, ok());
      },
    },
  ],
};
