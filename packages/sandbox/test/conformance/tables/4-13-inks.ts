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
      rule: 'PUT replaces the ink list',
      send: inks,
      body: { inks: [red] },
      is: ok(Logo, { id: '{decal}', inks: [red] }),
    },
    {
      rule: 'the response contains spec only if a spec line was sent',
      check: async (p) => {
        const listed = await p.ok(inks, Logo, { inks: [red] });
        expect(listed).not.toHaveProperty('spec');
        const read = await p.ok(inks, Logo, { spec: '186 C / White' });
        expect(read.spec).toBeDefined();
      },
    },
    {
      rule: 'an empty list removes all inks',
      send: inks,
      body: { inks: [] },
      is: ok(Logo, { inks: [] }),
    },
    {
      rule: 'an ink with only a name is accepted',
      send: inks,
      body: { inks: [{ name: 'Gold thread' }] },
      is: ok(Logo, { inks: [{ name: 'Gold thread', pantoneCode: null, hex: null }] }),
    },
    {
      rule: 'an ink with only a code is accepted',
      send: inks,
      body: { inks: [{ pantoneCode: '186 C' }] },
      is: ok(Logo, { inks: [{ pantoneCode: '186 C' }] }),
    },
    {
      rule: '16 inks are accepted',
      send: inks,
      body: { inks: many(16, (index) => ({ name: `Ink ${index}` })) },
      is: ok(Logo),
    },
    {
      rule: 'a name of 40 characters is accepted',
      send: inks,
      body: { inks: [{ name: 'x'.repeat(40) }] },
      is: ok(Logo, { inks: [{ name: 'x'.repeat(40) }] }),
    },
    ...bodyRows('the body contains either inks or spec', inks, invalid, [
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
    ...bodyRows(
      'a decal has at most 16 inks, and a name has at most 40 characters',
      inks,
      invalid,
      [
        { inks: many(17, (index) => ({ name: `Ink ${index}` })) },
        { inks: [{ name: 'x'.repeat(41) }] },
      ],
    ),
    ...bodyRows('hex has the form #RRGGBB', inks, invalid, [
      { inks: [{ name: 'a', hex: 'red' }] },
      { inks: [{ name: 'a', hex: '#fff' }] },
      { inks: [{ name: 'a', hex: 'C8102E' }] },
      { inks: [{ name: 'a', hex: '#GGGGGG' }] },
    ]),
    ...bodyRows('invalid codes are refused', inks, invalid, [
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
    {
      rule: 'an unknown decal is refused',
      send: 'PUT /decals/{absent}/inks',
      body: { inks: [red] },
      is: notFound,
    },
    {
      rule: 'a spec line reports size, colour count and method; its other parts become inks',
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
      ['4 colors / 186 C / White', 'a color count that differs from the inks'],
      ['186 C / Sunset glow', 'parts that cannot be read as a Pantone code'],
    ].map(
      ([spec, rule]): Row => ({
        rule: `a spec line causes warnings for ${rule}`,
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
    ...bodyRows(
      'codes is a list of at most 16 Pantone codes',
      'PUT /decals/{decal}/pantone-codes',
      invalid,
      [{}, { codes: 'a' }, { codes: ['reddish'] }, { codes: many(17, () => '186 C') }],
    ),
    {
      rule: 'inks do not change the decal',
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
      rule: 'POST creates a material with name, code and hex',
      send: 'POST /materials/pantone',
      body: pantone,
      is: created(PantoneMaterial, pantone),
    },
    ...bodyRows(
      'name, pantoneCode and hex are required and validated',
      'POST /materials/pantone',
      invalid,
      [
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
      ],
    ),
    {
      rule: 'a Pantone material is ready immediately, and is listed, renamed and deleted like other materials',
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
      rule: 'an existing material accepts a code with its hex; a null or empty code clears both',
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
    ...bodyRows(
      'a code must be valid and requires its hex',
      'PUT /materials/{material}/pantone',
      invalid,
      [
        { pantoneCode: '186 C' },
        { pantoneCode: '186 C', hex: null },
        { pantoneCode: '186 C', hex: 'red' },
        { pantoneCode: 'reddish', hex: '#C8102E' },
        { pantoneCode: 7, hex: '#C8102E' },
      ],
    ),
    {
      rule: 'codes are normalized',
      send: 'PUT /materials/{material}/pantone',
      body: { pantoneCode: 'pms 186 c', hex: '#C8102E' },
      is: ok(PantoneMaterial, { pantoneCode: '186 C' }),
    },
    {
      rule: 'an unknown material is refused',
      send: 'PUT /materials/{absent}/pantone',
      body: { pantoneCode: '186 C', hex: '#C8102E' },
      is: notFound,
    },
  ],
};
