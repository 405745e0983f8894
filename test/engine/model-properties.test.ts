// Properties that conditions read: their values, the number of requests, and the assets that a condition selects.
import { beforeAll, describe, expect, it } from 'vitest';
import { splitOffByCondition } from '../../activities/shard/split-off-by-condition.ts';
import { RequestCounter } from '../../src/api/request-counter.ts';
import { createPollerContext } from '../../src/engine/polling/poller-context.ts';
import { readModelProperties } from '../../src/features/properties/model-properties.ts';
import type { StepAsset } from '../../src/plan/types.ts';
import { nodeContext } from './_context.ts';
import { useWorkspace } from './_workspace.ts';

const workspace = useWorkspace();
const keys = ['red', 'blue', 'tall', 'none'];
let ids: Record<string, string> = {};

beforeAll(async () => {
  const { at } = workspace;
  ids = await at.models(keys);
  const { client } = at;
  const define = async (name: string, type: string, more: object = {}) =>
    client.createProperty({ body: { name, type, ...more } as never });
  const approved = await define('Approved', 'SELECT', { options: ['yes', 'no'] });
  const uses = await define('Uses', 'MULTI_SELECT', { options: ['web', 'print'] });
  const note = await define('Note', 'TEXT');
  const height = await define('Heel height', 'NUMBER');
  const launch = await define('Launch', 'DATE', { dateRange: true });
  const optionOf = ({ options }: typeof approved, label: string) =>
    (options ?? []).flatMap((one) => (one.label === label ? [one.id] : []));
  const set = (key: string, changes: object[]) =>
    client.setAssetProperties({
      body: { assetType: 'MODEL', ids: [ids[key] ?? ''], set: changes as never },
    });
  await set('red', [
    { propertyId: approved.id, optionIds: optionOf(approved, 'yes') },
    {
      propertyId: uses.id,
      optionIds: [...optionOf(uses, 'web'), ...optionOf(uses, 'print')],
    },
    { propertyId: note.id, text: 'first' },
    { propertyId: height.id, number: 7.5 },
    {
      propertyId: launch.id,
      date: Date.parse('2026-03-01'),
      endDate: Date.parse('2026-03-31'),
    },
  ]);
  await set('blue', [{ propertyId: approved.id, optionIds: optionOf(approved, 'no') }]);
  await set('tall', [{ propertyId: height.id, number: 2 }]);
});

const everything = ['approved', 'uses', 'note', 'Heel height', 'launch'];

/** A worker that has read nothing yet; `nowMs` is its clock. */
function worker(client = workspace.at.client) {
  const clock = { nowMs: 0 };
  const pollerContext = createPollerContext(client, () => clock.nowMs);
  const requests = new RequestCounter();
  const context = nodeContext({ client, pollerContext, requests });
  return { clock, requests, context };
}

describe('values of model properties', () => {
  it.each([
    ['red', ['yes', ['web', 'print'], 'first', 7.5, '2026-03-01/2026-03-31']],
    ['blue', ['no', [], null, null, null]],
    ['tall', [null, [], null, 2, null]],
    ['none', [null, [], null, null, null]],
  ])('the property values of %s are read', async (key, values) => {
    const { context } = worker();
    const one = await readModelProperties(everything, [ids[key] ?? ''], context);
    const all = await readModelProperties(everything, Object.values(ids), context);
    const expected = Object.fromEntries(everything.map((name, at) => [name, values[at]]));
    expect(one(ids[key])).toEqual(expected);
    expect(all(ids[key])).toEqual(expected);
  });

  it('an asset without a model has no values', async () => {
    const { context, requests } = worker();
    const valuesOf = await readModelProperties(['approved', 'uses'], [], context);
    expect(valuesOf(undefined)).toEqual({ approved: null, uses: [] });
    expect(requests.byOperation).toEqual({ listProperties: 1 });
  });

  it('an unknown property stops the run', async () => {
    const { context } = worker();
    const reading = readModelProperties(['aproved'], Object.values(ids), context);
    await expect(reading).rejects.toMatchObject({ runCause: { code: 'PROPERTY_NOT_FOUND' } });
  });
});

describe('requests for model properties', () => {
  it('each property needs one list request, which is shared for ten seconds', async () => {
    const { clock, context, requests } = worker();
    const read = () => readModelProperties(['approved', 'note'], Object.values(ids), context);
    await read();
    expect(requests.take().byOperation).toEqual({ listProperties: 1, searchAssets: 2 });
    clock.nowMs = 9_000;
    await read();
    expect(requests.take().byOperation).toEqual({});
    clock.nowMs = 11_000;
    await read();
    expect(requests.take().byOperation).toEqual({ searchAssets: 2 });
  });

  it('a list that fails late does not discard the list that was read meanwhile', async () => {
    const { client } = workspace.at;
    let failFirst = (_error: Error) => {};
    const first = new Promise<never>((_, reject) => (failFirst = reject));
    let reads = 0;
    const searchAssets: typeof client.searchAssets = (...given) =>
      (reads += 1) === 1 ? first : client.searchAssets(...given);
    const { clock, context } = worker(
      new Proxy(client, {
        get: (target, name) => (name === 'searchAssets' ? searchAssets : Reflect.get(target, name)),
      }),
    );
    const read = () => readModelProperties(['approved'], Object.values(ids), context);
    const failed = expect(read()).rejects.toThrow('too late');
    await expect.poll(() => reads).toBe(1);
    clock.nowMs = 11_000;
    await read();
    failFirst(new Error('too late'));
    await failed;
    await read();
    expect(reads).toBe(2);
  });

  it('each model needs one request if there are only a few models', async () => {
    const { context, requests } = worker();
    await readModelProperties(everything, [ids['red'] ?? '', ids['blue'] ?? ''], context);
    expect(requests.byOperation).toEqual({ listProperties: 1, getAssetProperties: 2 });
  });
});

describe('a condition on model properties', () => {
  const assets: StepAsset[] = keys.map((key) => ({
    key,
    source: { path: `${key}.glb`, bytes: 1, mtimeMs: 1, version: '1-1' },
    platformIds: {},
  }));
  const withModels = () =>
    assets.map((asset) => ({ ...asset, platformIds: { modelId: ids[asset.key] ?? '' } }));
  const split = async (when: string) => {
    const { prunedResults: pruned, included } = await splitOffByCondition(
      withModels(),
      { when, node: 'shots' },
      worker().context,
    );
    return { pruned, taken: included.map(({ key }) => key) };
  };

  it.each([
    ['model.properties.approved == "yes"', ['red']],
    ['model.properties.approved != "yes"', ['blue', 'tall', 'none']],
    ['"web" in model.properties.Uses', ['red']],
    ['model.properties["Heel height"] == null', ['blue', 'none']],
    ['model.properties.launch.startsWith("2026-03") || asset.key == "tall"', ['red', 'tall']],
  ])('the condition %s selects %j', async (when, taken) => {
    expect((await split(when)).taken).toEqual(taken);
  });

  it('a condition fails an asset if it compares a missing value, and the message explains how to test for one', async () => {
    const { pruned, taken } = await split('model.properties["Heel height"] > 3');
    expect(taken).toEqual(['red']);
    expect(pruned).toMatchObject([
      {
        key: 'blue',
        outcome: 'failed',
        code: 'EXPRESSION_FAILED',
        message: expect.stringContaining('model.properties["Heel height"] != null') as string,
      },
      { key: 'tall', outcome: 'pruned' },
      { key: 'none', outcome: 'failed' },
    ]);
  });
});
