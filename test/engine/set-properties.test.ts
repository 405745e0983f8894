// Property values of models: the values written, the number of requests, and the failures.
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { RequestCounter } from '../../src/api/request-counter.ts';
import type { NodeContext } from '../../src/engine/node-context.ts';
import { createPollerContext } from '../../src/engine/polling/poller-context.ts';
import type { PropertyOptions } from '../../src/features/set-properties/desired-properties.ts';
import { setProperties } from '../../src/features/set-properties/write-properties.ts';
import type { StepAsset } from '../../src/plan/types.ts';
import { planOf, withNodes } from '../compile/_compile.ts';
import { storesOver } from '../store/_store.ts';
import { nodeContext } from './_context.ts';
import { SandboxRun } from './_sandbox-run.ts';
import { useWorkspace } from './_workspace.ts';

const workspace = useWorkspace();
const keys = ['shoes/red', 'shoes/blue', 'hats/tall'];
let ids: Record<string, string> = {};

beforeAll(async () => {
  const { at } = workspace;
  ids = await at.models(keys);
  const define = (name: string, type: string, more: object = {}) =>
    at.client.createProperty({ body: { name, type, ...more } as never });
  await define('Season', 'SELECT', { options: ['Winter', 'Summer'] });
  await define('Uses', 'MULTI_SELECT', { options: ['shoes', 'hats', 'web'] });
  await define('Note', 'TEXT');
  await define('Weight', 'NUMBER');
  await define('Launch', 'DATE', { dateRange: true });
});

const assets = (): StepAsset[] =>
  keys.map((key) => ({
    key,
    source: { path: `${key}.glb`, bytes: 1, mtimeMs: 1, version: '1-1' },
    platformIds: { modelId: ids[key] ?? '' },
  }));

/** Writes as a step does. */
async function write(
  options: PropertyOptions,
  of: StepAsset[],
  store?: NodeContext['store'],
  node = 'step',
  more: Partial<NodeContext> = {},
) {
  const { client } = workspace.at;
  const requests = new RequestCounter();
  const context = nodeContext({
    client,
    pollerContext: createPollerContext(client),
    requests,
    now: Date.now,
    step: { id: node, node, batch: 50, retry: null },
    ...(store ? { store } : {}),
    ...more,
  });
  return { results: await setProperties(options, of, context), requests: requests.byOperation };
}

const set = (
  values: PropertyOptions['values'],
  mode: PropertyOptions['mode'] = 'REPLACE',
  of = assets(),
) => write({ assetType: 'MODEL', values, mode }, of);

/** The values of a model, by property name. */
async function held(key: string): Promise<Record<string, unknown>> {
  const { client } = workspace.at;
  const params = { assetType: 'MODEL', id: ids[key] ?? '' } as const;
  const { properties = [] } = await client.getAssetProperties({ params });
  const { properties: definitions } = await client.listProperties();
  const labelOf = new Map(
    definitions.flatMap(({ options }) => (options ?? []).map(({ id, label }) => [id, label])),
  );
  return Object.fromEntries(
    properties.map((value) => [
      value.name,
      value.optionIds?.map((id) => labelOf.get(id)) ??
        value.text ??
        value.number ??
        [value.date, value.endDate].flatMap((ms) =>
          ms === undefined ? [] : new Date(ms).toISOString().slice(0, 10),
        ),
    ]),
  );
}

describe('writing property values', () => {
  it('values are written to all models in one request', async () => {
    const { results, requests } = await set({
      season: 'summer',
      Uses: ['web', 'HATS'],
      Note: 'plain',
      Weight: 2.5,
      Launch: '2026-03-01/2026-03-31',
    });
    expect(results.map(({ outcome }) => outcome)).toEqual(['done', 'done', 'done']);
    expect(requests).toEqual({ listProperties: 1, setAssetProperties: 1 });
    expect(await held('hats/tall')).toEqual({
      Season: ['Summer'],
      Uses: ['web', 'hats'],
      Note: 'plain',
      Weight: 2.5,
      Launch: ['2026-03-01', '2026-03-31'],
    });
  });

  it('values are written to a text property as typed, and to a number property as numbers', async () => {
    await set({ Note: '0510210600', Weight: '1E5' });
    expect(await held('shoes/red')).toMatchObject({ Note: '0510210600', Weight: 100_000 });
  });

  it('values can be computed for each asset, and assets with equal values share a request', async () => {
    const { requests } = await set({
      Uses: ['{{ asset.folder }}'],
      Note: 'in {{ asset.folder }}',
      Weight: '{{ asset.bytes + 1 }}',
    });
    expect(requests['setAssetProperties']).toBe(2);
    expect(await held('shoes/red')).toMatchObject({ Uses: ['shoes'], Note: 'in shoes', Weight: 2 });
    expect(await held('hats/tall')).toMatchObject({ Uses: ['hats'], Note: 'in hats' });
  });

  it('values with ADD are added to existing options, but replace values of other types', async () => {
    await set({ Uses: ['shoes'], Season: 'Winter' });
    await set({ Uses: ['web'], Season: 'Summer' }, 'ADD');
    expect(await held('shoes/red')).toMatchObject({ Uses: ['shoes', 'web'], Season: ['Summer'] });
  });

  it('empty values add nothing to existing options, and only null clears them', async () => {
    for (const value of ['{{ "" }}', [], ['{{ "" }}', ' ']]) {
      await set({ Uses: ['shoes'] });
      const { results, requests } = await set({ Uses: value }, 'ADD');
      expect(results.map(({ outcome }) => outcome)).toEqual(['done', 'done', 'done']);
      expect(requests).not.toHaveProperty('setAssetProperties');
      expect(await held('shoes/red')).toMatchObject({ Uses: ['shoes'] });
    }
    await set({ Uses: null }, 'ADD');
    expect(await held('shoes/red')).not.toHaveProperty('Uses');
  });

  it('empty options of a list are left out', async () => {
    await set({ Uses: ['web', '{{ "" }}', '{{ asset.folder }}'] });
    expect(await held('shoes/red')).toMatchObject({ Uses: ['web', 'shoes'] });
    await set({ Uses: ['{{ "" }}', ''] });
    expect(await held('shoes/red')).not.toHaveProperty('Uses');
  });

  it.each([[null], [''], ['{{ "" }}'], [[]]])('%j clears a value', async (value) => {
    await set({ Note: 'x', Uses: ['web'] });
    await set({ [Array.isArray(value) ? 'Uses' : 'Note']: value });
    expect(await held('shoes/red')).not.toHaveProperty(Array.isArray(value) ? 'Uses' : 'Note');
  });

  it('an attempt that another one has replaced writes no values', async () => {
    await set({ Note: 'newer' });
    const options = { assetType: 'MODEL', values: { Note: 'older' }, mode: 'REPLACE' } as const;
    const assertLease = () => Promise.reject(new Error('another attempt continues the work'));
    const late = write(options, assets(), undefined, 'step', { assertLease });
    await expect(late).rejects.toThrow('another attempt');
    expect(await held('hats/tall')).toMatchObject({ Note: 'newer' });
  });

  it('writing the same values twice changes nothing', async () => {
    await set({ Season: 'Winter' });
    const before = await held('shoes/blue');
    const { results } = await set({ Season: 'Winter' });
    expect(results.every(({ outcome }) => outcome === 'done')).toBe(true);
    expect(await held('shoes/blue')).toEqual(before);
  });
});

describe('an invalid value in the file', () => {
  it.each<[string, PropertyOptions['values'], string, RegExp]>([
    ['an unknown property', { Saeson: 'x' }, 'PROPERTY_NOT_FOUND', /did you mean "Season"/],
    ['an unknown option', { Season: 'Wintr' }, 'OPTION_NOT_FOUND', /did you mean "Winter"/],
    [
      'two options for a single select',
      { Season: ['Winter', 'Summer'] },
      'PROPERTY_VALUE',
      /one option/,
    ],
    ['text for a number', { Weight: 'heavy' }, 'PROPERTY_VALUE', /a number/],
    ['a list for a text property', { Note: ['a', 'b'] }, 'PROPERTY_VALUE', /use text/],
    ['an invalid date', { Launch: 'soon' }, 'PROPERTY_VALUE', /2026-01-31/],
  ])('the run stops because of %s', async (_, values, code, said) => {
    await expect(set(values)).rejects.toMatchObject({
      runCause: { code, message: expect.stringMatching(said) },
    });
  });
});

describe('a failure of one asset', () => {
  it('an asset fails alone if its expression returns a value that the property does not accept', async () => {
    const { results } = await set({ Season: '{{ asset.name == "red" ? "Winter" : "Autumn" }}' });
    expect(results).toMatchObject([
      { key: 'shoes/blue', outcome: 'failed', code: 'OPTION_NOT_FOUND' },
      { key: 'hats/tall', outcome: 'failed', code: 'OPTION_NOT_FOUND' },
      { key: 'shoes/red', outcome: 'done' },
    ]);
  });

  it('an asset whose expression fails is the only one that fails', async () => {
    const { results } = await set({ Note: '{{ asset.folder.split("s")[2] }}' });
    const codes = Object.fromEntries(
      results.map((result) => [result.key, 'code' in result ? result.code : result.outcome]),
    );
    expect(codes).toMatchObject({ 'shoes/red': 'done', 'hats/tall': 'EXPRESSION_FAILED' });
  });

  it('an asset whose model is missing or was never uploaded fails alone', async () => {
    const [red, blue, tall] = assets();
    if (!red || !blue || !tall) throw new Error('three assets');
    const { results, requests } = await set({ Note: 'here' }, 'REPLACE', [
      { ...red, platformIds: { modelId: 'model-none' } },
      { ...blue, platformIds: {} },
      tall,
    ]);
    expect(results).toMatchObject([
      { key: 'shoes/blue', outcome: 'failed', code: 'NO_MODEL' },
      { key: 'shoes/red', outcome: 'failed', code: 'NOT_FOUND' },
      { key: 'hats/tall', outcome: 'done' },
    ]);
    // The call for both assets is refused and split.
    expect(requests['setAssetProperties']).toBe(3);
  });
});

describe('properties of objects other than models', () => {
  const asset = (key: string, platformIds: StepAsset['platformIds']): StepAsset => ({
    key,
    source: { path: `${key}.glb`, bytes: 1, mtimeMs: 1, version: '1-1' },
    platformIds,
  });

  const noted = (assetType: PropertyOptions['assetType'], more: Partial<PropertyOptions> = {}) => ({
    assetType,
    values: { Note: 'seen' },
    mode: 'REPLACE' as const,
    ...more,
  });

  async function notesOf(assetType: PropertyOptions['assetType']): Promise<string[]> {
    const { assets: found } = await workspace.at.client.searchAssets({
      body: { assetType, properties: [] },
    });
    return found.flatMap(({ name = '', properties: held = [] }) =>
      held.some(({ text }) => text === 'seen') ? [name] : [],
    );
  }

  it('an asset without an object of the type fails, and library items of other kinds are skipped', async () => {
    const bare = asset('bare', {});
    for (const assetType of ['VARIANT', 'PROJECT', 'TEMPLATE', 'RENDER'] as const) {
      const { results } = await write(noted(assetType), [bare]);
      expect(results).toMatchObject([{ code: 'NOTHING_TO_DESCRIBE' }]);
    }
    const { results, requests } = await write(noted('DECAL'), [asset('prop', { propId: 'p1' })]);
    expect(results).toEqual([{ key: 'prop', outcome: 'done' }]);
    expect(requests).toEqual({ listProperties: 1 });
  });

  it('objects get values by name, once for all assets, and an unknown name stops the run', async () => {
    const { at } = workspace;
    await at.set('assets', { assetType: 'BACKPLATE', name: 'Studio White' });
    const store = storesOver()('run-1');
    const { results, requests } = await write(
      noted('BACKPLATE', { names: ['Studio White'] }),
      assets(),
      store,
    );
    expect(results.map(({ outcome }) => outcome)).toEqual(['done', 'done', 'done']);
    expect(requests).toEqual({ listProperties: 1, searchAssets: 1, setAssetProperties: 1 });
    expect(await notesOf('BACKPLATE')).toEqual(['Studio White']);
    await expect(
      write(noted('BACKPLATE', { names: ['Studio Wite'] }), assets(), store),
    ).rejects.toMatchObject({
      runCause: {
        code: 'NAMED_ASSET_NOT_FOUND',
        message: expect.stringContaining('did you mean "Studio White"') as string,
      },
    });
    const computed = await write(
      noted('BACKPLATE', { names: ['{{ asset.name }}'] }),
      assets(),
      store,
    );
    expect(computed.results).toMatchObject(
      keys.map((key) => ({ key, outcome: 'failed', code: 'NAMED_ASSET_NOT_FOUND' })),
    );
  });

  it('an object does not get conflicting values within a run', async () => {
    const { at } = workspace;
    const [template] = (await at.client.listTemplates()).templates;
    const templateId = template?.templateId ?? '';
    const { results } = await write(
      noted('TEMPLATE', { values: { Note: '{{ asset.key }}' } }),
      [asset('a', { templateId }), asset('b', { templateId })],
      storesOver()('run-1'),
    );
    expect(results).toMatchObject([
      {
        key: 'b',
        code: 'PROPERTIES_CONFLICT',
        message: `asset a sets different values for TEMPLATE ${templateId} in this run; nothing was written for this asset`,
      },
      { key: 'a', outcome: 'done' },
    ]);
  });

  const project = (id: string): StepAsset => {
    const one = asset(id, { modelId: ids['hats/tall'] ?? '' });
    return { ...one, source: { ...one.source, id } };
  };

  it('a model does not get conflicting values from projects that share it', async () => {
    const options = { ...noted('MODEL'), values: { Note: '{{ asset.key }}' } };
    const { results, requests } = await write(
      options,
      [project('p1'), project('p2')],
      storesOver()('run-1'),
    );
    expect(results).toMatchObject([
      { key: 'p2', code: 'PROPERTIES_CONFLICT' },
      { key: 'p1', outcome: 'done' },
    ]);
    expect(requests['setAssetProperties']).toBe(1);
  });

  it('an object can get values from several nodes', async () => {
    const store = storesOver()('run-1');
    for (const [node, values] of [
      ['mark', { Note: 'one' }],
      ['label', { Note: 'two', Weight: 3 }],
    ] as const) {
      const { results } = await write({ ...noted('MODEL'), values }, [project('p1')], store, node);
      expect(results).toMatchObject([{ key: 'p1', outcome: 'done' }]);
    }
    expect(await held('hats/tall')).toMatchObject({ Note: 'two', Weight: 3 });
  });
});

describe('existing values', () => {
  it('existing values are not written again, even if the assets have different values', async () => {
    const values = { Note: 'of {{ asset.name }}', Weight: 4, Uses: ['web'], Launch: '2026-03-01' };
    const first = await set(values);
    expect(first.requests).toEqual({ listProperties: 1, searchAssets: 1, setAssetProperties: 3 });
    const again = await set(values);
    expect(again.requests).toEqual({ listProperties: 1, searchAssets: 1 });
    expect(again.results).toMatchObject(
      keys.map((key) => ({ key, outcome: 'done', platformIds: { properties: {} } })),
    );
    const added = await set({ ...values, Uses: ['hats'] }, 'ADD');
    expect(added.requests['setAssetProperties']).toBe(3);
    expect((await set(values, 'ADD')).requests).not.toHaveProperty('setAssetProperties');
    expect((await set(values)).requests['setAssetProperties']).toBe(3);
  });
});

describe('values that have been written for an asset', () => {
  it('the values are not written again until they or the model change', async () => {
    const first = await set({ Note: 'once' });
    const later = assets().map((one) => {
      const result = first.results.find(({ key }) => key === one.key);
      const written = result?.outcome === 'done' ? result.platformIds : {};
      return { ...one, platformIds: { ...one.platformIds, ...written } };
    });
    const writes = async (values: PropertyOptions['values'], of: StepAsset[]) =>
      (await set(values, 'REPLACE', of)).requests['setAssetProperties'] ?? 0;
    expect(await writes({ Note: 'once' }, later)).toBe(0);
    expect(await writes({ Note: 'twice' }, later)).toBe(1);
    const replaced = later.map((one) => ({
      ...one,
      platformIds: { ...one.platformIds, modelId: ids['hats/tall'] ?? '' },
    }));
    expect(await writes({ Note: 'once' }, replaced)).toBe(1);
  });
});

describe('properties of the outputs of a render', () => {
  let run: SandboxRun;
  beforeEach(async () => {
    run = await SandboxRun.start();
    await run.client.createProperty({ body: { name: 'Season', type: 'TEXT' } });
  });
  afterEach(() => run.stop());

  const label = 'config: { assetType: RENDER, values: { Season: Winter } }';
  const planWith = (settings: string) =>
    planOf(
      withNodes(
        '{ id: ready, type: model_ready, parentIds: [take] }',
        `{ id: shots, type: render, parentIds: [ready], config: { settings: ${settings} } }`,
        `{ id: label, type: set_properties, parentIds: [shots], ${label} }`,
      ),
    );

  async function seasonsOf(): Promise<unknown[]> {
    const { assets: found } = await run.client.searchAssets({
      body: { assetType: 'RENDER', properties: [] },
    });
    return found.map(({ properties: values = [] }) => values[0]?.text);
  }

  it.each([
    ['pictures', '{ renderShots: false }'],
    ['TIFFs', '{ renderShots: false, imageFormat: TIFF }'],
  ])('all %s get the values', async (_what, settings) => {
    const [ended] = await run.runPlan(planWith(settings), [await run.asset('a')]);
    expect(ended).toMatchObject({ outcome: 'complete' });
    expect(run.requests()).toMatchObject({ getRenderJob: 1, setAssetProperties: 1 });
    const seasons = await seasonsOf();
    expect(seasons.length).toBeGreaterThan(0);
    expect(new Set(seasons)).toEqual(new Set(['Winter']));
  });

  it('the outputs of a render that was retried get the values', async () => {
    const asset = await run.asset('a');
    await run.control('faults', [{ render: '**', times: 1, do: { failure: 'no light' } }]);
    const [ended] = await run.runPlan(planWith('{ renderShots: false }'), [asset]);
    expect(ended).toMatchObject({ outcome: 'complete' });
    expect(new Set(await seasonsOf())).toEqual(new Set(['Winter']));
  });
});
