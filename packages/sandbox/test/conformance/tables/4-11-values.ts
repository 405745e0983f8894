import { expect } from 'vitest';
import { createModel } from '../_core-resources.ts';
import type { Platform } from '../_platform.ts';
import { createProperty, holds, optionIds, search, write } from '../_property-resources.ts';
import { absent, bodyRows, invalid, many, notFound, ok, type Row, type Table } from '../_rows.ts';

const day = 86_400_000;
const noon = Date.UTC(2026, 4, 1, 12);
const midnight = Date.UTC(2026, 4, 1);

const newModel = async (p: Platform) => (await createModel(p, 'valued.glb')).modelId;
const send = 'POST /assets/properties';

/** For each type: a value and a filter that finds it, then another value and a filter that finds that one. */
const typed: [
  type: 'TEXT' | 'NUMBER' | 'DATE',
  value: object,
  filter: object,
  other: object,
  otherFilter: object,
][] = [
  ['TEXT', { text: 'Oak' }, { text: 'oak' }, { text: 'Pine' }, { text: 'pine' }],
  ['NUMBER', { number: 3 }, { min: 3, max: 3 }, { number: -0.5 }, { min: -0.5, max: -0.5 }],
  [
    'DATE',
    { date: noon },
    { after: midnight, before: midnight },
    { date: midnight + day },
    { after: midnight + day, before: midnight + day },
  ],
];

export const propertyValues: Table = {
  section: '4.11 POST /assets/properties, GET /assets/{assetType}/{id}/properties',
  rows: [
    ...bodyRows('assetType and ids are required', send, invalid, [
      {},
      { assetType: 'MODEL', set: [] },
      { ids: ['{model}'], unset: ['{textProperty}'] },
      { assetType: 'CHAIR', ids: ['{model}'], unset: ['{textProperty}'] },
      { assetType: 'MODEL', ids: '{model}', unset: ['{textProperty}'] },
      { assetType: 'MODEL', ids: [7], unset: ['{textProperty}'] },
    ]),
    {
      rule: 'more than 100 assets are refused',
      send,
      body: {
        assetType: 'MODEL',
        ids: many(101, (index) => `id-${index}`),
        unset: ['{textProperty}'],
      },
      is: invalid,
    },
    ...bodyRows('mode is REPLACE or ADD', send, invalid, [
      {
        assetType: 'MODEL',
        ids: ['{model}'],
        set: [{ propertyId: '{textProperty}', text: 'a' }],
        mode: 'MERGE',
      },
      {
        assetType: 'MODEL',
        ids: ['{model}'],
        set: [{ propertyId: '{textProperty}', text: 'a' }],
        mode: 'add',
      },
    ]),
    ...bodyRows('a property cannot be in both set and unset', send, invalid, [
      {
        assetType: 'MODEL',
        ids: ['{model}'],
        set: [{ propertyId: '{textProperty}', text: 'a' }],
        unset: ['{textProperty}'],
      },
    ]),
    ...bodyRows('the value must fit the type of the property', send, invalid, [
      { assetType: 'MODEL', ids: ['{model}'], set: [{ propertyId: '{textProperty}', number: 1 }] },
      { assetType: 'MODEL', ids: ['{model}'], set: [{ propertyId: '{textProperty}', text: 1 }] },
      {
        assetType: 'MODEL',
        ids: ['{model}'],
        set: [{ propertyId: '{numberProperty}', text: '1' }],
      },
      {
        assetType: 'MODEL',
        ids: ['{model}'],
        set: [{ propertyId: '{numberProperty}', number: '1' }],
      },
      {
        assetType: 'MODEL',
        ids: ['{model}'],
        set: [{ propertyId: '{dateProperty}', date: '2026-01-01' }],
      },
      {
        assetType: 'MODEL',
        ids: ['{model}'],
        set: [{ propertyId: '{selectProperty}', optionIds: '{option}' }],
      },
      {
        assetType: 'MODEL',
        ids: ['{model}'],
        set: [{ propertyId: '{selectProperty}', text: 'A' }],
      },
      { assetType: 'MODEL', ids: ['{model}'], set: [{ text: 'a' }] },
    ]),
    ...bodyRows('an unknown option is refused', send, { status: [400, 404] }, [
      {
        assetType: 'MODEL',
        ids: ['{model}'],
        set: [{ propertyId: '{selectProperty}', optionIds: ['{absent}'] }],
      },
    ]),
    {
      rule: 'an unknown property is refused',
      send,
      body: { assetType: 'MODEL', ids: ['{model}'], set: [{ propertyId: '{absent}', text: 'a' }] },
      is: notFound,
    },
    {
      rule: 'every id must belong to the workspace',
      send,
      body: { assetType: 'MODEL', ids: ['{absent}'], unset: ['{textProperty}'] },
      is: notFound,
    },
    {
      rule: 'the values of an asset can be read',
      send: 'GET /assets/MODEL/{model}/properties',
      is: ok(),
    },
    {
      rule: 'an unknown asset is refused',
      send: 'GET /assets/MODEL/{absent}/properties',
      is: notFound,
    },
    {
      rule: 'an asset of another type is refused',
      send: 'GET /assets/PROP/{model}/properties',
      is: notFound,
    },
    {
      rule: 'assetType is one of ten types',
      send: 'GET /assets/CHAIR/{model}/properties',
      is: { status: [400, 404] },
    },
    ...typed.flatMap(([type, value, filter, other, otherFilter]): Row[] => [
      {
        rule: `a ${type} value is set, replaced and unset`,
        check: async (p) => {
          const [modelId, { id: propertyId }] = [await newModel(p), await createProperty(p, type)];
          const holdsAny = () => holds(p, modelId, { propertyId });
          expect(await holdsAny()).toBe(false);
          await write(p, [modelId], { set: [{ propertyId, ...value }] });
          expect(await holds(p, modelId, { propertyId, ...filter })).toBe(true);
          await write(p, [modelId], { set: [{ propertyId, ...other }] });
          expect(await holds(p, modelId, { propertyId, ...filter })).toBe(false);
          expect(await holds(p, modelId, { propertyId, ...otherFilter })).toBe(true);
          await write(p, [modelId], { unset: [propertyId] });
          expect(await holdsAny()).toBe(false);
        },
      },
      {
        rule: `mode ADD replaces a ${type} value, and null clears it`,
        check: async (p) => {
          const [modelId, { id: propertyId }] = [await newModel(p), await createProperty(p, type)];
          await write(p, [modelId], { set: [{ propertyId, ...value }] });
          await write(p, [modelId], { set: [{ propertyId, ...other }], mode: 'ADD' });
          expect(await holds(p, modelId, { propertyId, ...filter })).toBe(false);
          expect(await holds(p, modelId, { propertyId, ...otherFilter })).toBe(true);
          const [field = ''] = Object.keys(value);
          await write(p, [modelId], { set: [{ propertyId, [field]: null }] });
          expect(await holds(p, modelId, { propertyId })).toBe(false);
        },
      },
    ]),
    ...['', '   '].map(
      (text): Row => ({
        rule: `blank text clears the value: ${JSON.stringify(text)}`,
        check: async (p) => {
          const [modelId, { id: propertyId }] = [
            await newModel(p),
            await createProperty(p, 'TEXT'),
          ];
          await write(p, [modelId], { set: [{ propertyId, text: 'Oak' }] });
          await write(p, [modelId], { set: [{ propertyId, text }] });
          expect(await holds(p, modelId, { propertyId })).toBe(false);
        },
      }),
    ),
    {
      rule: 'set and unset change only listed properties',
      check: async (p) => {
        const modelId = await newModel(p);
        const [one, two] = [await createProperty(p, 'TEXT'), await createProperty(p, 'NUMBER')];
        await write(p, [modelId], {
          set: [
            { propertyId: one.id, text: 'a' },
            { propertyId: two.id, number: 1 },
          ],
        });
        await write(p, [modelId], { set: [{ propertyId: one.id, text: 'b' }] });
        expect(await holds(p, modelId, { propertyId: two.id, min: 1, max: 1 })).toBe(true);
        await write(p, [modelId], { unset: [two.id] });
        expect(await holds(p, modelId, { propertyId: one.id, text: 'b' })).toBe(true);
      },
    },
    {
      rule: 'MULTI_SELECT values are replaced by REPLACE, added by ADD, and cleared by an empty list',
      check: async (p) => {
        const modelId = await newModel(p);
        const property = await createProperty(p, 'MULTI_SELECT', { options: ['A', 'B', 'C'] });
        const { A, B, C } = optionIds(property);
        const propertyId = property.id;
        const has = async () =>
          Promise.all(
            [A, B, C].map((option) => holds(p, modelId, { propertyId, optionIds: [option] })),
          );
        await write(p, [modelId], { set: [{ propertyId, optionIds: [A, B] }] });
        expect(await has()).toEqual([true, true, false]);
        await write(p, [modelId], { set: [{ propertyId, optionIds: [B, C] }], mode: 'ADD' });
        expect(await has()).toEqual([true, true, true]);
        await write(p, [modelId], { set: [{ propertyId, optionIds: [C] }], mode: 'REPLACE' });
        expect(await has()).toEqual([false, false, true]);
        await write(p, [modelId], { set: [{ propertyId, optionIds: [] }] });
        expect(await has()).toEqual([false, false, false]);
      },
    },
    {
      rule: 'mode ADD replaces a SELECT value',
      check: async (p) => {
        const modelId = await newModel(p);
        const property = await createProperty(p, 'SELECT', { options: ['A', 'B'] });
        const { A, B } = optionIds(property);
        const propertyId = property.id;
        await write(p, [modelId], { set: [{ propertyId, optionIds: [A] }] });
        await write(p, [modelId], { set: [{ propertyId, optionIds: [B] }], mode: 'ADD' });
        expect(await holds(p, modelId, { propertyId, optionIds: [A] })).toBe(false);
        expect(await holds(p, modelId, { propertyId, optionIds: [B] })).toBe(true);
      },
    },
    {
      rule: 'a date is normalized to UTC midnight',
      check: async (p) => {
        const [modelId, { id: propertyId }] = [await newModel(p), await createProperty(p, 'DATE')];
        await write(p, [modelId], { set: [{ propertyId, date: noon }] });
        expect(await holds(p, modelId, { propertyId, before: midnight })).toBe(true);
        expect(await holds(p, modelId, { propertyId, after: midnight + 1 })).toBe(false);
      },
    },
    {
      rule: 'endDate of a date range is on or after its start',
      check: async (p) => {
        const modelId = await newModel(p);
        const { id: propertyId } = await createProperty(p, 'DATE', { dateRange: true });
        const body = (value: object) => ({
          body: { assetType: 'MODEL', ids: [modelId], set: [{ propertyId, ...value }] },
        });
        await p.meets(
          send,
          body({ date: noon, endDate: noon + day }),
          ok(undefined, { updated: 1 }),
        );
        await p.meets(send, body({ date: noon, endDate: noon }), ok());
        await p.refused(send, invalid, body({ date: noon, endDate: noon - day }));
        expect(await holds(p, modelId, { propertyId, after: midnight, before: midnight })).toBe(
          true,
        );
      },
    },
    {
      rule: 'updated counts all matched assets, including those that already have the value',
      check: async (p) => {
        const ids = [await newModel(p), await newModel(p)];
        const { id: propertyId } = await createProperty(p, 'NUMBER');
        const set = [{ propertyId, number: 1 }];
        await write(p, ids.slice(0, 1), { set });
        const answer = await write(p, ids, { set });
        expect(answer.body).toMatchObject({ updated: 2 });
        expect(await search(p, [{ propertyId, min: 1 }])).toEqual(ids.toSorted());
      },
    },
    {
      rule: 'a request with an unknown id writes no values',
      check: async (p) => {
        const modelId = await newModel(p);
        const { id: propertyId } = await createProperty(p, 'NUMBER');
        const body = {
          assetType: 'MODEL',
          ids: [modelId, absent],
          set: [{ propertyId, number: 1 }],
        };
        await p.refused(send, notFound, { body });
        expect(await holds(p, modelId, { propertyId })).toBe(false);
      },
    },
    {
      rule: 'a request with an invalid value writes no values',
      check: async (p) => {
        const modelId = await newModel(p);
        const [one, two] = [await createProperty(p, 'NUMBER'), await createProperty(p, 'TEXT')];
        const set = [
          { propertyId: one.id, number: 1 },
          { propertyId: two.id, number: 1 },
        ];
        await p.refused(send, invalid, { body: { assetType: 'MODEL', ids: [modelId], set } });
        expect(await holds(p, modelId, { propertyId: one.id })).toBe(false);
      },
    },
    {
      rule: 'archived definitions accept no new values, but existing values can still be read and cleared',
      check: async (p) => {
        const modelId = await newModel(p);
        const { id: propertyId } = await createProperty(p, 'TEXT');
        await write(p, [modelId], { set: [{ propertyId, text: 'kept' }] });
        await p.meets(`DELETE /properties/${propertyId}`, {}, ok());
        const set = [{ propertyId, text: 'new' }];
        await p.refused(send, invalid, { body: { assetType: 'MODEL', ids: [modelId], set } });
        expect(await holds(p, modelId, { propertyId, text: 'kept' })).toBe(true);
        const { text } = await p.meets(`GET /assets/MODEL/${modelId}/properties`, {}, ok());
        expect(text).toContain('kept');
        await write(p, [modelId], { unset: [propertyId] });
        expect(await holds(p, modelId, { propertyId })).toBe(false);
      },
    },
    {
      rule: 'archived options accept no new values, but existing values can still be searched',
      check: async (p) => {
        const [modelId, other] = [await newModel(p), await newModel(p)];
        const property = await createProperty(p, 'SELECT', { options: ['A', 'B'] });
        const { A } = optionIds(property);
        const set = [{ propertyId: property.id, optionIds: [A] }];
        await write(p, [modelId], { set });
        await p.meets(
          `PATCH /properties/${property.id}/options/${A}`,
          { body: { archived: true } },
          ok(),
        );
        await p.refused(send, invalid, { body: { assetType: 'MODEL', ids: [other], set } });
        expect(await search(p, [{ propertyId: property.id, optionIds: [A] }])).toEqual([modelId]);
      },
    },
    {
      rule: 'a property that does not apply to the asset type is refused',
      check: async (p) => {
        const { id: propertyId } = await createProperty(p, 'TEXT', { appliesTo: ['PROP'] });
        const body = {
          assetType: 'MODEL',
          ids: [await newModel(p)],
          set: [{ propertyId, text: 'a' }],
        };
        const answer = await p.send(send, { body });
        expect([400, 404]).toContain(answer.status);
      },
    },
  ],
};
