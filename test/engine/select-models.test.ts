// The models of a workspace that become assets, and the number of requests.
import { beforeAll, describe, expect, it } from 'vitest';
import { createModelLister } from '../../src/features/models/selection/select-models.ts';
import { isSameSource } from '../../src/store/records/source-version.ts';
import { useWorkspace } from './_workspace.ts';

type ModelSelection = Parameters<typeof createModelLister>[0];

/** The platform stores the accent in the encoding of macOS. */
const cafe = 'Cafe\u0301 chair';

const workspace = useWorkspace();
let ids: Record<string, string> = {};
const select = (selection: ModelSelection, given: readonly string[] | null = null) =>
  workspace.at.list((context) => createModelLister(selection, context), given);

beforeAll(async () => {
  const { at } = workspace;
  ids = {
    ...(await at.models(['shoes/Red Runner', 'shoes/Blue Runner', 'Chair (1)'], 'READY', 'shoe')),
    ...(await at.models(['Lamp', 'runner rug'], 'APPROVED')),
    ...(await at.models([cafe], 'UPLOADING')),
    ...(await at.models(['Broken'], 'FAILED')),
    ...(await at.models(['Waiting'], 'ANALYZING')),
  };
  const { id: season, options } = await at.client.createProperty({
    body: { name: 'Season', type: 'SELECT', options: ['Winter', 'Summer'] },
  });
  const { id: weight } = await at.client.createProperty({
    body: { name: 'Weight', type: 'NUMBER' },
  });
  await at.client.createProperty({ body: { name: 'season', type: 'TEXT' } });
  const set = (names: string[], change: object) =>
    at.client.setAssetProperties({
      body: {
        assetType: 'MODEL',
        ids: names.map((name) => ids[name] ?? ''),
        set: [change as never],
      },
    });
  await set(['Lamp', 'Broken'], { propertyId: season, optionIds: [options?.[0]?.id] });
  await set(['Lamp'], { propertyId: weight, number: 4 });
});

describe('a selection of models', () => {
  const ready = ['Chair (1)', 'shoes/Blue Runner', 'shoes/Red Runner'];
  const all = [...ready, cafe, 'Broken', 'Lamp', 'Waiting', 'runner rug'].sort();

  it.each<[string, ModelSelection, string[], number]>([
    ['no criterion', {}, all, 1],
    ['one status', { status: 'READY' }, ready, 1],
    ['two statuses', { status: ['APPROVED', 'READY'] }, [...ready, 'Lamp', 'runner rug'].sort(), 2],
    ['part of a name', { name: '*runner*' }, [...ready.slice(1), 'runner rug'].sort(), 1],
    ['the start of a name', { name: 'RUNNER*' }, ['runner rug'], 1],
    ['a name with brackets', { name: 'chair (1)' }, ['Chair (1)'], 1],
    ['several names within a folder', { name: 'shoes/{red,blue}*' }, ready.slice(1), 1],
    ['both name and status', { name: '*runner*', status: 'APPROVED' }, ['runner rug'], 1],
    ['a name with an accent in another encoding', { name: 'Caf\u00e9*' }, [cafe], 1],
    ['a name that no model has', { name: 'sofa' }, [], 1],
  ])('models are selected by %s', async (_, selection, expected, requests) => {
    const found = await select(selection);
    expect(found.names).toEqual(expected);
    expect(found.requests).toEqual({ listModels: requests });
    expect(found.refused).toEqual([]);
  });

  it.each<[string, NonNullable<ModelSelection['properties']>, string[]]>([
    ['the label of an option', [{ property: 'season', options: ['winter'] }], ['Broken', 'Lamp']],
    ['an option that no model has', [{ property: 'season', options: ['Summer'] }], []],
    ['a number within bounds', [{ property: 'Weight', min: 3, max: 4 }], ['Lamp']],
    ['bounds that no number meets', [{ property: 'Weight', min: 5 }], []],
    ['any value of a property', [{ property: 'weight' }], ['Lamp']],
    [
      'a property without a value',
      [{ property: 'Weight', isEmpty: true }],
      all.filter((name) => name !== 'Lamp'),
    ],
  ])('models are selected by %s', async (_, properties, expected) => {
    const found = await select({ properties });
    expect(found.names).toEqual(expected);
    expect(found.requests).toEqual({ listModels: 1, listProperties: 1 });
  });

  it.each([
    ['an unknown property', { property: 'Sesaon' }, 'PROPERTY_NOT_FOUND', /did you mean "Season"/],
    [
      'a name shared by two properties',
      { property: 'SEASON' },
      'PROPERTY_AMBIGUOUS',
      /named "SEASON": \S+, /,
    ],
    [
      'an unknown option',
      { property: 'season', options: ['Sommer'] },
      'OPTION_NOT_FOUND',
      /did you mean "Summer"/,
    ],
  ])('the selection refuses %s', async (_, filter, code, said) => {
    await expect(select({ properties: [filter] })).rejects.toMatchObject({
      runCause: { code, message: expect.stringMatching(said) },
    });
  });

  it('each model has its platform id and category from the start', async () => {
    const { found } = await select({ name: 'shoes/Red*' });
    const modelId = ids['shoes/Red Runner'];
    expect(found).toMatchObject([
      {
        unkeyed: { id: modelId, shortKey: 'shoes/Red Runner' },
        source: { id: modelId, path: 'shoes/Red Runner', mtimeMs: 0 },
        platformIds: { modelId, category: 'shoe' },
      },
    ]);
  });
});

describe('a selection by ids', () => {
  it('a single model is read by its id, and several models from a page of the list', async () => {
    const lamp = ids['Lamp'] ?? '';
    expect((await select({ ids: [lamp] })).requests).toEqual({ getModel: 1 });
    const two = await select({ ids: [lamp, ids['Broken'] ?? '', lamp] });
    expect(two.names).toEqual(['Broken', 'Lamp']);
    expect(two.requests).toEqual({ listModels: 1 });
  });

  it('each unknown id is reported', async () => {
    const found = await select({ ids: ['model-none', ids['Lamp'] ?? ''] });
    expect(found.names).toEqual(['Lamp']);
    expect(found.refused).toEqual(['MODEL_NOT_FOUND model-none']);
  });

  it("the run's ids replace those in the file", async () => {
    expect((await select({ status: 'READY' }, [ids['Lamp'] ?? ''])).names).toEqual(['Lamp']);
  });

  it('a model has the same version by id as in the list, although a read by id returns no size', async () => {
    const [alone] = (await select({ ids: [ids['Lamp'] ?? ''] })).found;
    const [listed] = (await select({ name: 'lamp' })).found;
    expect(isSameSource(alone?.source.version ?? '', listed?.source.version ?? '')).toBe(true);
  });
});

describe('the version of a model', () => {
  it('the version changes with the name of the model, but not with its status', async () => {
    const { at } = workspace;
    const { Sofa: modelId = '' } = await at.models(['Sofa'], 'READY');
    const look = async () => (await select({ ids: [modelId] })).found[0]?.source.version;
    const before = await look();
    await at.set(`models/${modelId}/status`, { status: 'APPROVED' });
    expect(await look()).toBe(before);
    await at.client.updateModel({ params: { modelId }, body: { name: 'Sofa 2' } });
    expect(await look()).not.toBe(before);
  });
});
