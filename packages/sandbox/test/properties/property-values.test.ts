// Property values: the bulk write, its refusals, and values by asset type.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { assetTypes } from '../../../../src/api/operations/properties.ts';
import { createProject, finishRender, readyModel, startRender } from '../_flows.ts';
import {
  bad,
  type Definition,
  define,
  missing,
  model,
  optionId,
  refusal,
  search,
  valuesOf,
  write,
} from '../_properties.ts';
import { TestSandbox, triangleGlb } from '../_test-sandbox.ts';

let sandbox: TestSandbox;
let chair: string;
beforeEach(async () => {
  sandbox = new TestSandbox();
  chair = await model(sandbox);
});
afterEach(() => sandbox.sandbox.close());

const day = Date.UTC(2026, 4, 6);
const hour = 3_600_000;

/** Ids of options by their labels. */
const ids = (property: Definition, ...labels: string[]) =>
  labels.map((label) => optionId(property, label));

describe('a value', () => {
  const dates: [string, object, object, object][] = [
    ['any time of a day', {}, { date: day + 23 * hour }, { date: day }],
    ['before 1970', {}, { date: -1 }, { date: -24 * hour }],
    [
      'a range in one day',
      { dateRange: true },
      { date: day + 9 * hour, endDate: day + 8 * hour },
      { date: day, endDate: day },
    ],
    [
      'a range',
      { dateRange: true },
      { date: day, endDate: day + 30 * hour },
      { date: day, endDate: day + 24 * hour },
    ],
    ['a range without end', { dateRange: true }, { date: day }, { date: day }],
    ['an end that is null', { dateRange: true }, { date: day, endDate: null }, { date: day }],
  ];
  test.each([
    ['TEXT', {}, { text: '  Size 9, "wide" ' }, { text: '  Size 9, "wide" ' }] as const,
    ['NUMBER', {}, { number: -0.5 }, { number: -0.5 }] as const,
    ['NUMBER', {}, { number: 0 }, { number: 0 }] as const,
    ...dates.map(([, ...rest]) => ['DATE', ...rest] as const),
  ])('a %s property with %j stores the value %j as %j', async (type, more, given, stored) => {
    const { id: propertyId, key, name } = await define(sandbox, type, more);
    const answer = await write(sandbox, [chair], { set: [{ propertyId, ...given }] });
    expect(answer).toMatchObject({ status: 200, body: { updated: 1 } });
    const { body } = await sandbox.call(`GET /assets/MODEL/${chair}/properties`);
    expect(body).toEqual({
      id: chair,
      name: 'chair',
      assetType: 'MODEL',
      properties: [{ propertyId, key, name, type, ...stored }],
    });
  });

  test('a value of a SELECT is replaced in both modes, and ADD appends to a MULTI_SELECT', async () => {
    const single = await define(sandbox, 'SELECT', { options: ['a', 'b'] });
    const multi = await define(sandbox, 'MULTI_SELECT', { options: ['a', 'b', 'c'] });
    const set = (one: string, ...many: string[]) => [
      { propertyId: single.id, optionIds: ids(single, one) },
      { propertyId: multi.id, optionIds: ids(multi, ...many) },
    ];
    const held = async () => (await valuesOf(sandbox, chair)).map(({ optionIds }) => optionIds);
    await write(sandbox, [chair], { set: set('a', 'b', 'b', 'a') });
    expect(await held()).toEqual([ids(single, 'a'), ids(multi, 'b', 'a')]);
    await write(sandbox, [chair], { set: set('b', 'c', 'a'), mode: 'ADD' });
    expect(await held()).toEqual([ids(single, 'b'), ids(multi, 'b', 'a', 'c')]);
    await write(sandbox, [chair], { set: set('a', 'c'), mode: 'REPLACE' });
    expect(await held()).toEqual([ids(single, 'a'), ids(multi, 'c')]);
  });
});

describe('a cleared value', () => {
  const filled: [type: string, value: object][] = [
    ['MULTI_SELECT', {}],
    ['TEXT', { text: 'x' }],
    ['NUMBER', { number: 1 }],
    ['DATE', { date: day }],
  ];
  const clearings: [type: string, clearing: object][] = [
    ['MULTI_SELECT', { optionIds: [] }],
    ['MULTI_SELECT', { optionIds: null }],
    ['TEXT', { text: '' }],
    ['TEXT', { text: ' \t\n' }],
    ['TEXT', { text: null }],
    ['NUMBER', { number: null }],
    ['DATE', { date: null }],
    ['DATE', { date: null, endDate: null }],
  ];

  async function held(type: string): Promise<Definition> {
    const made = await define(sandbox, type, type === 'MULTI_SELECT' ? { options: ['a'] } : {});
    const value = new Map(filled).get(type);
    const first = made.options.map(({ id }) => id);
    const set = [
      { propertyId: made.id, ...value, ...(first.length > 0 ? { optionIds: first } : {}) },
    ];
    expect((await write(sandbox, [chair], { set })).status).toBe(200);
    expect(await valuesOf(sandbox, chair)).toHaveLength(1);
    return made;
  }

  test.each(clearings)(
    'a value of %s is removed by %j, even if the property is archived',
    async (type, clearing) => {
      for (const mode of ['REPLACE', 'ADD']) {
        const { id: propertyId } = await held(type);
        await sandbox.call(`DELETE /properties/${propertyId}`);
        const answer = await write(sandbox, [chair], { set: [{ propertyId, ...clearing }], mode });
        expect(answer.body).toEqual({ updated: 1 });
        expect(await valuesOf(sandbox, chair)).toEqual([]);
      }
    },
  );

  test.each(filled)(
    'a value of %s is removed by unset, even if it is archived or empty',
    async (type) => {
      const { id } = await held(type);
      await sandbox.call(`DELETE /properties/${id}`);
      for (let round = 0; round < 2; round += 1) {
        expect((await write(sandbox, [chair], { unset: [id, id] })).body).toEqual({ updated: 1 });
        expect(await valuesOf(sandbox, chair)).toEqual([]);
      }
    },
  );
});

describe('an archived option or definition', () => {
  test('an archived option accepts no new values, but existing ones can be read and written again', async () => {
    const made = await define(sandbox, 'MULTI_SELECT', { options: ['old', 'new'] });
    const [old = '', fresh = ''] = ids(made, 'old', 'new');
    const other = await model(sandbox, 'other');
    const set = (...optionIds: string[]) => ({ set: [{ propertyId: made.id, optionIds }] });
    await write(sandbox, [chair], set(old));
    await sandbox.call(`PATCH /properties/${made.id}/options/${old}`, { archived: true });
    expect(await valuesOf(sandbox, chair)).toEqual([{ propertyId: made.id, optionIds: [old] }]);
    expect(refusal(await write(sandbox, [other], set(old)))).toEqual(bad);
    expect(refusal(await write(sandbox, [chair, other], set(old, fresh)))).toEqual(bad);
    expect(await valuesOf(sandbox, chair)).toEqual([{ propertyId: made.id, optionIds: [old] }]);
    expect((await write(sandbox, [chair], set(old, fresh))).status).toBe(200);
    expect((await write(sandbox, [chair], set(fresh))).status).toBe(200);
    expect(refusal(await write(sandbox, [chair], { ...set(old), mode: 'ADD' }))).toEqual(bad);
  });

  test('an archived definition does not accept any values', async () => {
    const { id: propertyId } = await define(sandbox, 'TEXT');
    const set = [{ propertyId, text: 'x' }];
    await write(sandbox, [chair], { set });
    await sandbox.call(`DELETE /properties/${propertyId}`);
    expect(refusal(await write(sandbox, [chair], { set }))).toEqual(bad);
    expect(await valuesOf(sandbox, chair)).toEqual([{ propertyId, text: 'x' }]);
  });
});

describe('a refused request', () => {
  const wrong: [title: string, type: string, more: object, value: object][] = [
    ['no value field', 'TEXT', {}, {}],
    ['a misspelt field', 'TEXT', {}, { value: 'x' }],
    ["another type's field in addition to its own", 'TEXT', {}, { text: 'x', number: 1 }],
    ['only a null of another type', 'NUMBER', {}, { text: null }],
    ['two options for a SELECT', 'SELECT', { options: ['a', 'b'] }, { optionIds: ['a', 'b'] }],
    ['an unknown option', 'MULTI_SELECT', { options: ['a'] }, { optionIds: ['a', 'none'] }],
    ['a fraction of a millisecond', 'DATE', {}, { date: 0.5 }],
    ['a date out of range', 'DATE', {}, { date: 9e15 }],
    ['an end without dateRange', 'DATE', {}, { date: day, endDate: day }],
    ['an end without a start', 'DATE', { dateRange: true }, { endDate: day }],
    ['an end after a cleared start', 'DATE', { dateRange: true }, { date: null, endDate: day }],
    [
      'an asset type to which the property does not apply',
      'TEXT',
      { appliesTo: ['PROP'] },
      { text: 'x' },
    ],
  ];
  test.each(wrong)('a request is refused for %s', async (_title, type, more, value) => {
    const made = await define(sandbox, type, more);
    const labels = new Map(made.options.map(({ id, label }) => [label, id]));
    const { optionIds } = value as { optionIds?: unknown };
    const named = Array.isArray(optionIds)
      ? { optionIds: optionIds.map((label) => labels.get(label) ?? label) }
      : {};
    const set = [{ propertyId: made.id, ...value, ...named }];
    expect(refusal(await write(sandbox, [chair], { set }))).toEqual(bad);
    expect(await valuesOf(sandbox, chair)).toEqual([]);
  });

  test('a request is refused for an infinite number', async () => {
    const { id } = await define(sandbox, 'NUMBER');
    const body = `{"assetType":"MODEL","ids":["${chair}"],"set":[{"propertyId":"${id}","number":1e999}]}`;
    expect(refusal(await sandbox.call('POST /assets/properties', body))).toEqual(bad);
  });

  test('a request without ids or changes, with too many ids, or with a duplicate property is refused', async () => {
    const { id: propertyId } = await define(sandbox, 'TEXT');
    const set = [{ propertyId, text: 'x' }];
    const many = Array.from({ length: 101 }, () => chair);
    const cases: [unknown, object][] = [
      [[], { set }],
      [many, { set }],
      [[chair], {}],
      [[chair], { set: [], unset: [] }],
      [[chair], { set: [...set, ...set] }],
    ];
    for (const [list, more] of cases) {
      const answer = await write(sandbox, list as string[], more);
      expect(refusal(answer), JSON.stringify(more)).toEqual(bad);
    }
    expect(await valuesOf(sandbox, chair)).toEqual([]);
  });

  test('a request is refused for an unknown property or asset, and writes no values', async () => {
    const { id: propertyId } = await define(sandbox, 'TEXT');
    const set = [{ propertyId, text: 'x' }];
    const unknown = [{ propertyId: 'none', text: 'x' }];
    const answers = [
      await write(sandbox, [chair, 'none'], { set }),
      await write(sandbox, [chair], { set: [...set, ...unknown] }),
      await write(sandbox, [chair], { set, unset: ['none'] }),
      await write(sandbox, [chair], { set, assetType: 'PROJECT' }),
    ];
    for (const answer of answers) expect(refusal(answer)).toEqual(missing);
    expect(answers[0]?.body.error?.message).toContain('none');
    expect(await valuesOf(sandbox, chair)).toEqual([]);
  });

  test('a request is refused for an asset type in lower case', async () => {
    expect(refusal(await sandbox.call(`GET /assets/model/${chair}/properties`))).toEqual(bad);
  });
});

test('a write counts assets that already have the value, but not duplicate ids', async () => {
  const { id: propertyId } = await define(sandbox, 'NUMBER');
  const all = [chair];
  while (all.length < 99) all.push(await model(sandbox));
  const answer = await write(sandbox, [...all, chair], { set: [{ propertyId, number: 7 }] });
  expect(answer.body).toEqual({ updated: 99 });
  expect((await write(sandbox, all, { set: [{ propertyId, number: 7 }] })).body.updated).toBe(99);
  expect((await search(sandbox, [{ propertyId, min: 7, max: 7 }])).body.total).toBe(99);
});

describe('assets of all types', () => {
  interface Made {
    props?: { propId: string }[];
    decals?: { decalId: string }[];
    materialId?: string;
  }

  async function everyAsset(): Promise<[assetType: string, id: string, name: string][]> {
    const modelId = await readyModel(sandbox, 'shoe.glb', triangleGlb(['Blue']));
    const projectId = await createProject(sandbox, [modelId]);
    const { jobId } = await startRender(sandbox, [projectId]);
    const render = (await finishRender(sandbox, jobId)).renders[0];
    const variants = await sandbox.call<{ variants: { variantId: string }[] }>(
      `GET /models/${modelId}/variants`,
    );
    const templates = await sandbox.call<{ templates: { templateId: string; name: string }[] }>(
      'GET /templates',
    );
    const template = templates.body.templates[0];
    const stock = async (assetType: string) =>
      (await sandbox.control<{ id: string }>('/assets', { assetType, name: assetType })).id;
    const made = async (route: string, body: object) =>
      (await sandbox.call<Made>(route, body)).body;
    const { props } = await made('POST /props', { props: [{ name: 'lamp', fileType: 'glb' }] });
    const { decals } = await made('POST /decals', { decals: [{ name: 'logo', fileType: 'png' }] });
    const { materialId = '' } = await made('POST /materials', {
      name: 'wood',
      textures: [{ channel: 'diffuse', fileType: 'png' }],
    });
    return [
      ['PROP', props?.[0]?.propId ?? '', 'lamp'],
      ['DECAL', decals?.[0]?.decalId ?? '', 'logo'],
      ['MATERIAL', materialId, 'wood'],
      ['MODEL', modelId, 'shoe'],
      ['VARIANT', variants.body.variants[0]?.variantId ?? '', 'Blue'],
      ['PROJECT', projectId, 'shoe'],
      ['TEMPLATE', template?.templateId ?? '', template?.name ?? ''],
      ['RENDER', render?.id ?? '', render?.name ?? ''],
      ['BACKPLATE', await stock('BACKPLATE'), 'BACKPLATE'],
      ['STYLE', await stock('STYLE'), 'STYLE'],
    ];
  }

  test('assets of all types have values, are found by them, and are not found under another type', async () => {
    const { id: propertyId } = await define(sandbox, 'TEXT');
    const all = await everyAsset();
    for (const [assetType, id, name] of all) {
      const set = [{ propertyId, text: assetType }];
      expect((await write(sandbox, [id], { assetType, set })).body, assetType).toEqual({
        updated: 1,
      });
      expect(await valuesOf(sandbox, id, assetType)).toEqual([{ propertyId, text: assetType }]);
      const { body } = await search(sandbox, [{ propertyId }], { assetType });
      expect(body).toMatchObject({ assetType, total: 1, assets: [{ id, name, assetType }] });
      const other = assetType === 'STYLE' ? 'MODEL' : 'STYLE';
      expect(refusal(await write(sandbox, [id], { assetType: other, set }))).toEqual(missing);
    }
    expect(new Set(all.map(([assetType]) => assetType))).toEqual(new Set(assetTypes));
  });

  test('deleted assets lose their values, and so do their variants and renders', async () => {
    const { id: propertyId } = await define(sandbox, 'TEXT');
    const all = await everyAsset();
    const idOf = (type: string) => all.find(([assetType]) => assetType === type)?.[1] ?? '';
    for (const [assetType, id] of all) {
      await write(sandbox, [id], { assetType, set: [{ propertyId, text: 'x' }] });
    }
    await sandbox.call(`DELETE /projects/${idOf('PROJECT')}`);
    await sandbox.call(`DELETE /models/${idOf('MODEL')}`);
    await sandbox.call(`DELETE /props/${idOf('PROP')}`);
    await sandbox.call(`DELETE /decals/${idOf('DECAL')}`);
    await sandbox.call(`DELETE /materials/${idOf('MATERIAL')}`);
    for (const [assetType, id] of all) {
      const gone = !['TEMPLATE', 'BACKPLATE', 'STYLE'].includes(assetType);
      const { status } = await sandbox.call(`GET /assets/${assetType}/${id}/properties`);
      expect(status, assetType).toBe(gone ? 404 : 200);
      const { total } = (await search(sandbox, [{ propertyId }], { assetType })).body;
      expect(total, assetType).toBe(gone ? 0 : 1);
    }
  });

  test('a render is not an asset before its job is COMPLETED', async () => {
    const projectId = await createProject(sandbox, [await readyModel(sandbox)]);
    await startRender(sandbox, [projectId]);
    expect((await search(sandbox, [], { assetType: 'RENDER' })).body.total).toBe(0);
  });
});
