import { expect } from 'vitest';
import { createModel } from '../_core-resources.ts';
import type { Platform } from '../_platform.ts';
import { createProperty, holds, optionIds, read, search, write } from '../_property-resources.ts';
import { absent, done, invalid, many, notFound, ok, type Table } from '../_rows.ts';

const newModel = async (p: Platform) => (await createModel(p, 'valued.glb')).modelId;

export const propertyOptions: Table = {
  section: '4.11 options, merge, convert-tag',
  rows: [
    {
      rule: 'an option is added at the end',
      check: async (p) => {
        const property = await createProperty(p, 'SELECT', { options: ['A'] });
        await p.meets(`POST /properties/${property.id}/options`, { body: { label: 'B' } }, done());
        const { options = [] } = await read(p, property.id);
        expect(options.map(({ label }) => label)).toEqual(['A', 'B']);
      },
    },
    {
      rule: 'label, color (hex or null), archived and sortOrder of an option can be changed',
      check: async (p) => {
        const property = await createProperty(p, 'MULTI_SELECT', { options: ['A', 'B'] });
        const { A } = optionIds(property);
        const path = `PATCH /properties/${property.id}/options/${A}`;
        const now = async () => (await read(p, property.id)).options?.find(({ id }) => id === A);
        await p.meets(path, { body: { label: 'Alpha' } }, ok());
        await p.meets(path, { body: { color: '#ff8800' } }, ok());
        expect(await now()).toMatchObject({
          label: 'Alpha',
          color: expect.stringMatching(/^#ff8800$/i),
        });
        await p.meets(path, { body: { color: null, archived: true, sortOrder: 9 } }, ok());
        expect(await now()).toMatchObject({
          label: 'Alpha',
          color: null,
          archived: true,
          sortOrder: 9,
        });
        await p.meets(path, { body: { archived: false } }, ok());
        expect(await now()).toMatchObject({ archived: false });
        for (const body of [
          { color: 'red' },
          { color: 7 },
          { label: 7 },
          { archived: 'yes' },
          { sortOrder: 'x' },
        ]) {
          await p.refused(path, invalid, { body });
        }
      },
    },
    {
      rule: 'an unknown option or property is refused',
      check: async (p) => {
        const { id } = await createProperty(p, 'SELECT', { options: ['A'] });
        const body = { label: 'x' };
        await p.refused(`PATCH /properties/${id}/options/{absent}`, notFound, { body });
        await p.refused('PATCH /properties/{absent}/options/{absent}', notFound, { body });
        await p.refused('POST /properties/{absent}/options', notFound, { body });
      },
    },
    {
      rule: 'a property has at most 200 options',
      check: async (p) => {
        const labels = many(200, (index) => `option ${index}`);
        const property = await createProperty(p, 'SELECT', { options: labels });
        expect(property.options).toHaveLength(200);
        const body = { label: 'one more' };
        await p.refused(`POST /properties/${property.id}/options`, invalid, { body });
        await p.refused('POST /properties', invalid, {
          body: { name: 'Too many', type: 'SELECT', options: [...labels, 'one more'] },
        });
      },
    },
    {
      rule: 'a TEXT property accepts no options',
      check: async (p) => {
        const { id } = await createProperty(p, 'TEXT');
        await p.refused(`POST /properties/${id}/options`, invalid, { body: { label: 'x' } });
      },
    },
    {
      rule: 'merge replaces the source on all assets, removes duplicate values, and deletes the source',
      check: async (p) => {
        const [one, two] = [await newModel(p), await newModel(p)];
        const property = await createProperty(p, 'MULTI_SELECT', { options: ['A', 'B', 'C'] });
        const { A, B, C } = optionIds(property);
        const propertyId = property.id;
        await write(p, [one], { set: [{ propertyId, optionIds: [A, B] }] });
        await write(p, [two], { set: [{ propertyId, optionIds: [A] }] });
        await p.meets(
          `POST /properties/${propertyId}/options/merge`,
          { body: { fromOptionId: A, intoOptionId: B } },
          { status: [200, 201] },
        );
        expect((await read(p, propertyId)).options?.map(({ id }) => id)).toEqual([B, C]);
        expect(await search(p, [{ propertyId, optionIds: [B] }])).toEqual([one, two].toSorted());
        const { text } = await p.meets(`GET /assets/MODEL/${one}/properties`, {}, ok());
        expect(text.split(String(B)).length - 1).toBe(1);
        expect(text).not.toContain(String(A));
      },
    },
    {
      rule: 'merge needs two different options of the property, and an active target',
      check: async (p) => {
        const property = await createProperty(p, 'SELECT', { options: ['A', 'B'] });
        const { A, B } = optionIds(property);
        const merge = `POST /properties/${property.id}/options/merge`;
        for (const body of [{}, { fromOptionId: A }, { fromOptionId: A, intoOptionId: A }]) {
          await p.refused(merge, invalid, { body });
        }
        for (const body of [
          { fromOptionId: absent, intoOptionId: A },
          { fromOptionId: A, intoOptionId: absent },
        ]) {
          expect([400, 404]).toContain((await p.send(merge, { body })).status);
        }
        await p.meets(
          `PATCH /properties/${property.id}/options/${B}`,
          { body: { archived: true } },
          ok(),
        );
        await p.refused(merge, invalid, { body: { fromOptionId: A, intoOptionId: B } });
      },
    },
    {
      rule: 'convert-tag adds the tag as an option to its models, but a SELECT keeps an existing value',
      on: {},
      check: async (p) => {
        const [plain, answered, untagged] = [
          await newModel(p),
          await newModel(p),
          await newModel(p),
        ];
        const tagId = await p.controls.tag('Summer');
        for (const modelId of [plain, answered]) await p.controls.tagModel(modelId, [tagId]);
        for (const type of ['SELECT', 'MULTI_SELECT'] as const) {
          const property = await createProperty(p, type, { options: ['Winter'] });
          const { Winter } = optionIds(property);
          const propertyId = property.id;
          await write(p, [answered], { set: [{ propertyId, optionIds: [Winter] }] });
          await p.meets(
            `POST /properties/${propertyId}/convert-tag`,
            { body: { tagId } },
            { status: [200, 201] },
          );
          const { Summer } = optionIds(await read(p, propertyId));
          expect(Summer).toEqual(expect.any(String));
          const withSummer = await search(p, [{ propertyId, optionIds: [Summer] }]);
          expect(withSummer).toEqual(type === 'SELECT' ? [plain] : [plain, answered].toSorted());
          expect(await search(p, [{ propertyId, optionIds: [Winter] }])).toEqual([answered]);
          expect(await holds(p, untagged, { propertyId })).toBe(false);
        }
      },
    },
    {
      rule: 'convert-tag refuses an unknown tag, and a property that is not a select',
      check: async (p) => {
        const select = await createProperty(p, 'SELECT');
        const text = await createProperty(p, 'TEXT');
        await p.refused(`POST /properties/${select.id}/convert-tag`, notFound, {
          body: { tagId: absent },
        });
        await p.refused(`POST /properties/${select.id}/convert-tag`, invalid, { body: {} });
        expect([400, 404]).toContain(
          (await p.send(`POST /properties/${text.id}/convert-tag`, { body: { tagId: absent } }))
            .status,
        );
      },
    },
  ],
};
