import { expect } from 'vitest';
import { createModel } from '../_core-resources.ts';
import type { Platform } from '../_platform.ts';
import { createProperty, optionIds, search, write } from '../_property-resources.ts';
import { bodyRows, invalid, many, notFound, ok, type Row, type Table } from '../_rows.ts';
import { AssetPage } from '../_shapes-library.ts';

const send = 'POST /assets/search';
const searched = (properties: unknown) => ({ assetType: 'MODEL', properties });
const day = 86_400_000;
const start = Date.UTC(2026, 0, 1);

/** Creates a model for each value of a property, and one model without a value. */
async function valued(
  p: Platform,
  propertyId: string,
  values: readonly object[],
): Promise<string[]> {
  const ids: string[] = [];
  for (const value of [...values, null]) {
    const { modelId } = await createModel(p, 'searched.glb');
    if (value) await write(p, [modelId], { set: [{ propertyId, ...value }] });
    ids.push(modelId);
  }
  return ids;
}

/** The values that each filter finds, by index; the index after the last value is the model without a value. */
const finds = (
  rule: string,
  type: 'TEXT' | 'NUMBER' | 'DATE',
  values: readonly object[],
  cases: readonly (readonly [filter: object, found: readonly number[]])[],
  more: object = {},
): Row => ({
  rule,
  check: async (p) => {
    const { id: propertyId } = await createProperty(p, type, more);
    const ids = await valued(p, propertyId, values);
    for (const [filter, found] of cases) {
      const expected = found.map((place) => ids[place] ?? '').toSorted();
      const all = await search(p, [{ propertyId, ...filter }]);
      expect(
        all.filter((id) => ids.includes(id)),
        JSON.stringify(filter),
      ).toEqual(expected);
    }
  },
});

export const assetSearch: Table = {
  section: '4.11 POST /assets/search',
  rows: [
    {
      rule: 'limit is 25 and offset 0 when omitted',
      send,
      body: { assetType: 'MODEL', properties: [] },
      is: ok(AssetPage, { assetType: 'MODEL', limit: 25, offset: 0 }),
    },
    ...bodyRows(
      'limit is an integer from 1 to 100',
      send,
      invalid,
      [0, 101, 1.5, '10', -1].map((limit) => ({ ...searched([]), limit })),
    ),
    ...bodyRows(
      'offset is an integer from 0 to 100000',
      send,
      invalid,
      [-1, 100_001, 0.5, '1'].map((offset) => ({ ...searched([]), offset })),
    ),
    {
      rule: 'a limit of 100 and an offset of 100000 are accepted',
      send,
      body: { ...searched([]), limit: 100, offset: 100_000 },
      is: ok(AssetPage, { assets: [], limit: 100, offset: 100_000 }),
    },
    ...bodyRows('assetType is required and is one of ten types', send, invalid, [
      { properties: [] },
      { assetType: 'CHAIR', properties: [] },
      { assetType: 'model', properties: [] },
    ]),
    ...[
      'MODEL',
      'VARIANT',
      'PROJECT',
      'TEMPLATE',
      'MATERIAL',
      'PROP',
      'RENDER',
      'DECAL',
      'BACKPLATE',
      'STYLE',
    ].map(
      (assetType): Row => ({
        rule: 'every asset type can be searched',
        send,
        body: { assetType, properties: [] },
        is: ok(AssetPage, { assetType }),
      }),
    ),
    {
      rule: '31 filters are refused',
      send,
      body: searched(many(31, () => ({ propertyId: '{textProperty}' }))),
      is: invalid,
    },
    {
      rule: '30 filters are accepted',
      send,
      body: searched(many(30, () => ({ propertyId: '{textProperty}' }))),
      is: ok(AssetPage),
    },
    ...bodyRows('propertyId is always required', send, invalid, [
      searched([{}]),
      searched([{ text: 'a' }]),
      searched([{ isEmpty: true }]),
      searched([7]),
      searched({}),
    ]),
    {
      rule: 'an unknown property is refused',
      send,
      body: searched([{ propertyId: '{absent}' }]),
      is: { status: [400, 404] },
    },
    ...bodyRows('operators that do not fit the type of the property are refused', send, invalid, [
      searched([{ propertyId: '{textProperty}', min: 1 }]),
      searched([{ propertyId: '{textProperty}', optionIds: ['{option}'] }]),
      searched([{ propertyId: '{textProperty}', text: 7 }]),
      searched([{ propertyId: '{numberProperty}', text: 'a' }]),
      searched([{ propertyId: '{numberProperty}', after: 1 }]),
      searched([{ propertyId: '{numberProperty}', min: 'a' }]),
      searched([{ propertyId: '{dateProperty}', min: 1 }]),
      searched([{ propertyId: '{dateProperty}', after: '2026-01-01' }]),
      searched([{ propertyId: '{selectProperty}', text: 'A' }]),
      searched([{ propertyId: '{selectProperty}', min: 1 }]),
      searched([{ propertyId: '{selectProperty}', optionIds: '{option}' }]),
    ]),
    ...bodyRows('isEmpty cannot be combined with value operators', send, invalid, [
      searched([{ propertyId: '{textProperty}', isEmpty: true, text: 'a' }]),
      searched([{ propertyId: '{numberProperty}', isEmpty: true, min: 1 }]),
      searched([{ propertyId: '{dateProperty}', isEmpty: true, before: 1 }]),
      searched([{ propertyId: '{selectProperty}', isEmpty: true, optionIds: ['{option}'] }]),
    ]),
    {
      rule: 'an unknown option is refused',
      send,
      body: searched([{ propertyId: '{selectProperty}', optionIds: ['{absent}'] }]),
      is: { status: [400, 404] },
    },
    ...bodyRows('reversed bounds are refused', send, invalid, [
      searched([{ propertyId: '{numberProperty}', min: 2, max: 1 }]),
      searched([{ propertyId: '{dateProperty}', after: 2 * day, before: day }]),
    ]),
    {
      rule: 'equal bounds are accepted',
      send,
      body: searched([{ propertyId: '{numberProperty}', min: 1, max: 1 }]),
      is: ok(AssetPage),
    },
    finds(
      'TEXT matches a case-insensitive substring, with literal punctuation',
      'TEXT',
      [{ text: 'Solid Oak' }, { text: '100% wool (a+b)' }, { text: 'soak_it' }],
      [
        [{ text: 'oak' }, [0, 2]],
        [{ text: 'OAK' }, [0, 2]],
        [{ text: 'd o' }, [0]],
        [{ text: '%' }, [1]],
        [{ text: '_' }, [2]],
        [{ text: '(a+b)' }, [1]],
        [{ text: '.*' }, []],
        [{}, [0, 1, 2]],
        [{ isEmpty: true }, [3]],
      ],
    ),
    finds(
      'NUMBER matches from min to max, inclusive; either can be omitted',
      'NUMBER',
      [{ number: -1 }, { number: 0 }, { number: 2.5 }],
      [
        [{ min: 0 }, [1, 2]],
        [{ max: 0 }, [0, 1]],
        [{ min: 0, max: 2.5 }, [1, 2]],
        [{ min: 2.5, max: 2.5 }, [2]],
        [{ min: 3 }, []],
        [{}, [0, 1, 2]],
        [{ isEmpty: true }, [3]],
      ],
    ),
    finds(
      'DATE matches from after to before, inclusive',
      'DATE',
      [{ date: start }, { date: start + day }, { date: start + 2 * day }],
      [
        [{ after: start }, [0, 1, 2]],
        [{ after: start + day }, [1, 2]],
        [{ before: start + day }, [0, 1]],
        [{ after: start + day, before: start + day }, [1]],
        [{}, [0, 1, 2]],
        [{ isEmpty: true }, [3]],
      ],
    ),
    finds(
      'a date range matches by its start date, not by overlap',
      'DATE',
      [
        { date: start, endDate: start + 10 * day },
        { date: start + 5 * day, endDate: start + 6 * day },
      ],
      [
        [{ after: start + 5 * day, before: start + 8 * day }, [1]],
        [{ before: start + day }, [0]],
        [{ after: start + 7 * day }, []],
      ],
      { dateRange: true },
    ),
    ...(['SELECT', 'MULTI_SELECT'] as const).map(
      (type): Row => ({
        rule: `a filter on a ${type} property matches any of the listed options`,
        check: async (p) => {
          const property = await createProperty(p, type, { options: ['A', 'B', 'C'] });
          const { A, B, C } = optionIds(property);
          const propertyId = property.id;
          const [a = '', b = '', c = ''] = await valued(p, propertyId, [
            { optionIds: [A] },
            { optionIds: [B] },
            { optionIds: [C] },
          ]);
          expect(await search(p, [{ propertyId, optionIds: [A] }])).toEqual([a]);
          expect(await search(p, [{ propertyId, optionIds: [A, B] }])).toEqual([a, b].toSorted());
          expect(await search(p, [{ propertyId }])).toEqual([a, b, c].toSorted());
        },
      }),
    ),
    {
      rule: 'an asset must match all filters',
      check: async (p) => {
        const [one, two] = [await createProperty(p, 'NUMBER'), await createProperty(p, 'TEXT')];
        const [a = '', b = ''] = await valued(p, one.id, [{ number: 1 }, { number: 1 }]);
        await write(p, [b], { set: [{ propertyId: two.id, text: 'x' }] });
        expect(
          await search(p, [
            { propertyId: one.id, min: 1 },
            { propertyId: two.id, text: 'x' },
          ]),
        ).toEqual([b]);
        expect(
          await search(p, [
            { propertyId: one.id, min: 1 },
            { propertyId: two.id, isEmpty: true },
          ]),
        ).toEqual([a]);
      },
    },
    {
      rule: 'filters apply before pages and total',
      check: async (p) => {
        const { id: propertyId } = await createProperty(p, 'NUMBER');
        const ids = (
          await valued(p, propertyId, [{ number: 1 }, { number: 2 }, { number: 3 }])
        ).slice(0, 3);
        const seen: string[] = [];
        for (const offset of [0, 2, 4]) {
          const body = { ...searched([{ propertyId }]), limit: 2, offset };
          const page = await p.ok(send, AssetPage, body);
          expect(page).toMatchObject({ total: 3, limit: 2, offset });
          seen.push(...page.assets.map(({ id }) => id));
        }
        expect(seen.toSorted()).toEqual(ids.toSorted());
      },
    },
    {
      rule: 'archived properties can still be searched',
      check: async (p) => {
        const { id: propertyId } = await createProperty(p, 'NUMBER');
        const [modelId] = await valued(p, propertyId, [{ number: 1 }]);
        await p.meets(`DELETE /properties/${propertyId}`, {}, ok());
        expect(await search(p, [{ propertyId, min: 1 }])).toEqual([modelId]);
      },
    },
    {
      rule: 'GET /models accepts the same filters as JSON, and its items contain property values',
      check: async (p) => {
        const { id: propertyId } = await createProperty(p, 'TEXT');
        const [modelId] = await valued(p, propertyId, [{ text: 'Walnut' }]);
        const list = (filters: unknown, more = '') =>
          p.send(`GET /models?properties=${encodeURIComponent(JSON.stringify(filters))}${more}`);
        const found = await list([{ propertyId, text: 'walnut' }]);
        expect(found.body).toMatchObject({ models: [{ modelId }], total: 1 });
        expect(found.text).toContain('Walnut');
        expect((await list([{ propertyId }], '&name=nothing-like-it')).body).toMatchObject({
          models: [],
          total: 0,
        });
        for (const wrong of [
          {},
          [{}],
          [{ propertyId, min: 1 }],
          many(31, () => ({ propertyId })),
        ]) {
          expect(await list(wrong)).toMatchObject({
            status: 400,
            body: { error: { code: 'VALIDATION_ERROR' } },
          });
        }
        expect([400, 404]).toContain((await list([{ propertyId: 'nothing' }])).status);
      },
    },
    {
      rule: 'an unknown asset is refused',
      send: 'GET /assets/MODEL/{absent}/properties',
      is: notFound,
    },
  ],
};
