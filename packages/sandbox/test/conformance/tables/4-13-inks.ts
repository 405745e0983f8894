import { expect } from 'vitest';
import { readyMaterial } from '../_library-resources.ts';
import { bodyRows, created, invalid, many, notFound, ok, type Row, type Table } from '../_rows.ts';
import { Decal, Logo, PantoneMaterial } from '../_shapes-library.ts';

const inks = 'PUT /decals/{decal}/inks';
const red = { name: 'Red', pantoneCode: '186 C', hex: '#C8102E' };

const normalized = (code: string, pantoneCode: string): Row => ({
  rule: `codes are normalized: ${code}`,
  send: inks,
  body: { inks: [{ pantoneCode: code }] },
  is: ok(Logo, { inks: [{ pantoneCode }] }),
});

export const decalInks: Table = {
  section: '4.13 PUT /decals/{decalId}/inks',
  rows: [
    {
      rule: 'replaces the ink list',
      send: inks,
      body: { inks: [red] },
      is: ok(Logo, { id: '{decal}', inks: [red] }),
    },
    {
      rule: 'spec only when a spec line was sent',
      check: async (p) => {
        const listed = await p.ok(inks, Logo, { inks: [red] });
        expect(listed).not.toHaveProperty('spec');
        const read = await p.ok(inks, Logo, { spec: '186 C / White' });
        expect(read.spec).toBeDefined();
      },
    },
    { rule: 'an empty list clears', send: inks, body: { inks: [] }, is: ok(Logo, { inks: [] }) },
    {
      rule: 'a name is enough',
      send: inks,
      body: { inks: [{ name: 'Gold thread' }] },
      is: ok(Logo, { inks: [{ name: 'Gold thread', pantoneCode: null, hex: null }] }),
    },
    {
      rule: 'a code is enough',
      send: inks,
      body: { inks: [{ pantoneCode: '186 C' }] },
      is: ok(Logo, { inks: [{ pantoneCode: '186 C' }] }),
    },
    {
      rule: 'the 16th ink',
      send: inks,
      body: { inks: many(16, (index) => ({ name: `Ink ${index}` })) },
      is: ok(Logo),
    },
    {
      rule: 'a name of 40 characters',
      send: inks,
      body: { inks: [{ name: 'x'.repeat(40) }] },
      is: ok(Logo, { inks: [{ name: 'x'.repeat(40) }] }),
    },
    ...bodyRows('either inks or spec', inks, invalid, [
      {},
      { inks: [red], spec: '186 C' },
      { inks: 'red' },
      { spec: 7 },
    ]),
    ...bodyRows('each ink needs name or pantoneCode', inks, invalid, [
      { inks: [{}] },
      { inks: [{ hex: '#ffffff' }] },
      { inks: [{ name: '' }] },
      { inks: [{ name: null, pantoneCode: null }] },
    ]),
    ...bodyRows('at most 16 inks; names up to 40 characters', inks, invalid, [
      { inks: many(17, (index) => ({ name: `Ink ${index}` })) },
      { inks: [{ name: 'x'.repeat(41) }] },
    ]),
    ...bodyRows('hex: #RRGGBB', inks, invalid, [
      { inks: [{ name: 'a', hex: 'red' }] },
      { inks: [{ name: 'a', hex: '#fff' }] },
      { inks: [{ name: 'a', hex: 'C8102E' }] },
      { inks: [{ name: 'a', hex: '#GGGGGG' }] },
    ]),
    ...bodyRows('codes are validated', inks, invalid, [
      { inks: [{ pantoneCode: 'reddish' }] },
      { inks: [{ pantoneCode: '99999999 Q' }] },
      { inks: [{ pantoneCode: 7 }] },
    ]),
    normalized('186 C', '186 C'),
    normalized('pms 186 c', '186 C'),
    normalized('pms186c', '186 C'),
    normalized('cool gray 11 c', 'Cool Gray 11 C'),
    normalized('Cool Gray 11 C', 'Cool Gray 11 C'),
    normalized('19-4052 tcx', '19-4052 TCX'),
    normalized('19-4052 TCX', '19-4052 TCX'),
    { rule: 'missing', send: 'PUT /decals/{absent}/inks', body: { inks: [red] }, is: notFound },
    {
      rule: 'a spec line: size, colour count and method are read, not stored; the rest becomes inks; white needs no code',
      check: async (p) => {
        const { inks: stored, spec } = await p.ok(inks, Logo, {
          spec: '3.5" x 2" / 3 colors / Screen print / PMS 186 C / Cool Gray 11 C / White',
        });
        expect(spec).toMatchObject({
          colourCount: 3,
          method: 'Screen print',
          widthIn: 3.5,
          heightIn: 2,
          warnings: [],
        });
        expect(stored).toHaveLength(3);
        expect(stored.map(({ pantoneCode }) => pantoneCode)).toEqual([
          '186 C',
          'Cool Gray 11 C',
          null,
        ]);
        expect(stored[2]?.name).toMatch(/white/i);
        expect(spec?.inks).toEqual(stored);
      },
    },
    ...['/', ';', '\n'].map(
      (separator): Row => ({
        rule: `a spec line is split on ${JSON.stringify(separator)}`,
        send: inks,
        body: { spec: ['186 C', '2935 C', 'Black'].join(` ${separator} `) },
        is: ok(Logo, {
          inks: [{ pantoneCode: '186 C' }, { pantoneCode: '2935 C' }, { pantoneCode: null }],
        }),
      }),
    ),
    ...[
      ['4 colors / 186 C / White', 'a stated color count that differs from the inks found'],
      ['186 C / Sunset glow', 'parts not readable as a Pantone code'],
    ].map(
      ([spec, rule]): Row => ({
        rule: `warnings: ${rule}`,
        check: async (p) => {
          const answer = await p.ok(inks, Logo, { spec });
          expect(answer.spec?.warnings.length).toBeGreaterThan(0);
        },
      }),
    ),
    {
      rule: 'PUT pantone-codes stores unnamed inks',
      check: async (p) => {
        const { inks: stored } = await p.ok('PUT /decals/{decal}/pantone-codes', Logo, {
          codes: ['186 C', 'pms 2935 c'],
        });
        expect(stored.map(({ pantoneCode }) => pantoneCode)).toEqual(['186 C', '2935 C']);
        expect(stored.every(({ name }) => !name)).toBe(true);
      },
    },
    ...bodyRows('codes', 'PUT /decals/{decal}/pantone-codes', invalid, [
      {},
      { codes: 'a' },
      { codes: ['reddish'] },
      { codes: many(17, () => '186 C') },
    ]),
    {
      rule: 'inks leave the decal as it is',
      send: 'GET /decals/{decal}',
      is: ok(Decal, { status: 'READY', width: 12, height: 8 }),
    },
  ],
};

const pantone = { name: 'Team red', pantoneCode: '186 C', hex: '#C8102E' };

export const pantoneMaterials: Table = {
  section: '4.13 Pantone materials',
  rows: [
    {
      rule: 'creates a material: 201 {id, name, pantoneCode, hex}',
      send: 'POST /materials/pantone',
      body: pantone,
      is: created(PantoneMaterial, pantone),
    },
    ...bodyRows('name, pantoneCode and hex are all required', 'POST /materials/pantone', invalid, [
      {},
      { ...pantone, name: undefined },
      { ...pantone, pantoneCode: undefined },
      { ...pantone, hex: undefined },
      { ...pantone, hex: null },
      { ...pantone, hex: 'red' },
      { ...pantone, hex: '#C81' },
      { ...pantone, pantoneCode: 'reddish' },
      { ...pantone, pantoneCode: '' },
      { ...pantone, name: 7 },
    ]),
    {
      rule: 'it is a library material: listed, ready for swaps, renamed, deleted',
      check: async (p) => {
        const { id } = await p.ok('POST /materials/pantone', PantoneMaterial, {
          ...pantone,
          name: 'Pantone listed',
        });
        await p.meets(
          'POST /materials/status',
          { body: { materialIds: [id] } },
          ok(undefined, { materials: [{ materialId: id, status: 'ready' }], allReady: true }),
        );
        const list = await p.meets('GET /materials?search=Pantone%20listed', {}, ok());
        expect(list.text).toContain(id);
        await p.meets(`PATCH /materials/${id}`, { body: { name: 'Other' } }, ok());
        await p.meets(`DELETE /materials/${id}`, {}, ok());
        await p.refused(`PUT /materials/${id}/pantone`, notFound, {
          body: { pantoneCode: '186 C', hex: '#C8102E' },
        });
      },
    },
    {
      rule: 'records a Pantone on an existing material; null or empty clears both; the name stays',
      check: async (p) => {
        const materialId = await readyMaterial(p, { name: 'Canvas' });
        const put = `PUT /materials/${materialId}/pantone`;
        await p.meets(
          put,
          { body: { pantoneCode: '186 C', hex: '#C8102E' } },
          ok(PantoneMaterial, {
            id: materialId,
            name: 'Canvas',
            pantoneCode: '186 C',
            hex: '#C8102E',
          }),
        );
        for (const pantoneCode of [null, '']) {
          await p.meets(put, { body: { pantoneCode: '186 C', hex: '#C8102E' } }, ok());
          await p.meets(
            put,
            { body: { pantoneCode } },
            ok(PantoneMaterial, { pantoneCode: null, hex: null }),
          );
        }
      },
    },
    ...bodyRows('a code requires its hex', 'PUT /materials/{material}/pantone', invalid, [
      { pantoneCode: '186 C' },
      { pantoneCode: '186 C', hex: null },
      { pantoneCode: '186 C', hex: 'red' },
      { pantoneCode: 'reddish', hex: '#C8102E' },
      { pantoneCode: 7, hex: '#C8102E' },
    ]),
    {
      rule: 'codes are normalized',
      send: 'PUT /materials/{material}/pantone',
      body: { pantoneCode: 'pms 186 c', hex: '#C8102E' },
      is: ok(PantoneMaterial, { pantoneCode: '186 C' }),
    },
    {
      rule: 'missing',
      send: 'PUT /materials/{absent}/pantone',
      body: { pantoneCode: '186 C', hex: '#C8102E' },
      is: notFound,
    },
  ],
};
