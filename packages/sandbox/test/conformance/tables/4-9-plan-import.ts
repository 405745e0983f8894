import { expect } from 'vitest';
import type { Platform } from '../_platform.ts';
import { bodyRows, freshKey, invalid, many, type Row, type Table } from '../_rows.ts';
import { channels, ImportPlan, MaterialPage } from '../_shapes-library.ts';

const route = 'POST /materials/plan-import';
const empty: Record<
  'materials' | 'ignored' | 'packed' | 'unmatched' | 'skipped' | 'duplicates',
  unknown[]
> = { materials: [], ignored: [], packed: [], unmatched: [], skipped: [], duplicates: [] };

/** A listing and the whole plan for it. Names and order of the materials are not documented, so they may differ. */
function plans(
  rule: string,
  paths: readonly string[],
  plan: Partial<typeof empty>,
  options: object = {},
): Row {
  return {
    rule,
    check: async (p: Platform) => {
      const { materials, ...lists } = await p.ok(route, ImportPlan, { paths, ...options });
      const got = { ...lists, materials: materials.map(({ textures }) => textures) };
      expect(sorted(got)).toEqual(sorted({ ...empty, ...plan }));
      expect(new Set(materials.map(({ name }) => name)).size).toBe(materials.length);
    },
  };
}

/** Field order for serialized textures, so that equal textures give equal text. */
const fields = [...channels];

function sorted(plan: Record<string, unknown[]>): Record<string, string[]> {
  const lines = (list: unknown[]) => list.map((one) => JSON.stringify(one, fields)).sort();
  return Object.fromEntries(Object.entries(plan).map(([name, list]) => [name, lines(list)]));
}

/** File names with the documented names of the channels as suffixes; other suffixes are not documented. */
const set = channels.map((channel) => `oak_${channel}.png`);

export const planImport: Table = {
  section: '4.9 materials, plan-import; 2.13, 8',
  rows: [
    ...bodyRows('paths contains 1-2000 strings', route, invalid, [
      undefined,
      {},
      { paths: [] },
      { paths: null },
      { paths: 'oak_diffuse.png' },
      { paths: { 0: 'oak_diffuse.png' } },
      { paths: [7] },
      { paths: [null] },
      { paths: [['oak_diffuse.png']] },
      { paths: many(2001, (index) => `${index}.png`) },
    ]),
    ...bodyRows('unmatchedAsDiffuse is a boolean', route, invalid, [
      { paths: ['oak.png'], unmatchedAsDiffuse: 'true' },
      { paths: ['oak.png'], unmatchedAsDiffuse: 1 },
      { paths: ['oak.png'], unmatchedAsDiffuse: null },
    ]),
    {
      rule: '2000 paths are accepted',
      check: async (p) => {
        const paths = many(
          2000,
          (index) => `oak${Math.floor(index / 2)}_${index % 2 ? 'normal' : 'diffuse'}.png`,
        );
        const { materials } = await p.ok(route, ImportPlan, { paths });
        expect(materials).toHaveLength(1000);
      },
    },
    plans('one path becomes one material', ['oak_diffuse.png'], {
      materials: [{ diffuse: 'oak_diffuse.png' }],
    }),
    plans('textures contains the input path for each of the six channels', set, {
      materials: [Object.fromEntries(channels.map((channel) => [channel, `oak_${channel}.png`]))],
    }),
    plans(
      'input paths are returned as they were sent',
      ['C:\\Größe (2)\\./Oak Planks_Diffuse.PNG', 'lib//oak veneer_normal.JPG'],
      {
        materials: [
          { diffuse: 'C:\\Größe (2)\\./Oak Planks_Diffuse.PNG' },
          { normal: 'lib//oak veneer_normal.JPG' },
        ],
      },
    ),
    plans(
      'file names are grouped into materials',
      ['oak_diffuse.png', 'steel_metallic.png', 'oak_normal.png', 'steel_diffuse.png'],
      {
        materials: [
          { diffuse: 'oak_diffuse.png', normal: 'oak_normal.png' },
          { diffuse: 'steel_diffuse.png', metallic: 'steel_metallic.png' },
        ],
      },
    ),
    plans(
      'ignored contains ambient occlusion, specular and emissive maps, which have no slot',
      ['oak_diffuse.png', 'oak_ambient_occlusion.png', 'oak_specular.png', 'oak_emissive.png'],
      {
        materials: [{ diffuse: 'oak_diffuse.png' }],
        ignored: ['oak_ambient_occlusion.png', 'oak_emissive.png', 'oak_specular.png'],
      },
    ),
    plans(
      'packed contains combined multi-channel maps such as ORM',
      ['oak_diffuse.png', 'oak_ORM.png'],
      {
        materials: [{ diffuse: 'oak_diffuse.png' }],
        packed: ['oak_ORM.png'],
      },
    ),
    plans('maps without a slot do not become a material', ['oak_orm.png', 'oak_specular.png'], {
      packed: ['oak_orm.png'],
      ignored: ['oak_specular.png'],
    }),
    plans(
      'unmatched contains images whose channel is not recognized',
      ['holiday.jpg', 'b/front.png'],
      {
        unmatched: ['b/front.png', 'holiday.jpg'],
      },
    ),
    plans(
      'unmatchedAsDiffuse turns each unmatched image into a diffuse material',
      ['holiday.jpg', 'b/front.png', 'oak_normal.png'],
      {
        materials: [
          { diffuse: 'b/front.png' },
          { diffuse: 'holiday.jpg' },
          { normal: 'oak_normal.png' },
        ],
      },
      { unmatchedAsDiffuse: true },
    ),
    plans(
      'unmatchedAsDiffuse: false leaves images unmatched',
      ['holiday.jpg'],
      { unmatched: ['holiday.jpg'] },
      {
        unmatchedAsDiffuse: false,
      },
    ),
    plans(
      'unmatchedAsDiffuse does not affect ignored, packed and skipped',
      ['oak_orm.png', 'oak_specular.png', 'read.me'],
      { packed: ['oak_orm.png'], ignored: ['oak_specular.png'], skipped: ['read.me'] },
      { unmatchedAsDiffuse: true },
    ),
    plans(
      'skipped contains files that are not images',
      ['readme.txt', 'oak.blend', 'LICENSE', '', 'oak_normal.png.meta'],
      {
        skipped: ['', 'LICENSE', 'oak.blend', 'oak_normal.png.meta', 'readme.txt'],
      },
    ),
    {
      rule: 'duplicates contains the second file of a channel, with its material',
      check: async (p) => {
        const paths = ['oak_diffuse_1k.png', 'oak_diffuse_2k.png'];
        const plan = await p.ok(route, ImportPlan, { paths });
        const [material] = plan.materials;
        const [duplicate] = plan.duplicates;
        expect(duplicate).toMatchObject({ material: material?.name, channel: 'diffuse' });
        expect(new Set([material?.textures.diffuse, duplicate?.file])).toEqual(new Set(paths));
      },
    },
    {
      rule: 'a plan creates no material',
      on: {},
      check: async (p) => {
        await p.ok(route, ImportPlan, { paths: set });
        expect((await p.ok('GET /materials', MaterialPage)).total).toBe(0);
      },
    },
    {
      rule: 'the materials of a plan can be created unchanged',
      check: async (p) => {
        const plan = await p.ok(route, ImportPlan, { paths: set });
        for (const { name, textures } of plan.materials) {
          const body = {
            name,
            textures: Object.keys(textures).map((channel) => ({ channel, fileType: 'png' })),
          };
          expect((await p.send('POST /materials', { body })).status).toBe(201);
        }
      },
    },
    {
      rule: 'the order of the paths does not affect the plan',
      check: async (p) => {
        const one = await p.send(route, { body: { paths: set } });
        const two = await p.send(route, { body: { paths: [...set].reverse() } });
        expect(two.body).toEqual(one.body);
      },
    },
    {
      rule: 'a repeat with the same Idempotency-Key returns the original response',
      check: async (p) => {
        const options = { body: { paths: set }, headers: { 'idempotency-key': freshKey() } };
        const [one, two] = [await p.send(route, options), await p.send(route, options)];
        expect([one.status, two.text]).toEqual([200, one.text]);
      },
    },
  ],
};
