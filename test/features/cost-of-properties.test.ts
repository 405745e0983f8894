// Requests that `plan` counts for values of properties, conditions on them, and Pantone materials of a table.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openConnector } from '../../src/connectors/index.ts';
import type { FoundAsset } from '../../src/engine/cost/found-work.ts';
import { withCostConfigs } from '../../src/features/cost-config.ts';
import { estimate } from '../../src/features/estimate.ts';
import { planOf, withNodes } from '../compile/_compile.ts';

const found = (count: number, more: Partial<FoundAsset> = {}): FoundAsset[] =>
  Array.from({ length: count }, (_, index) => ({
    key: `folder-${index % 3}/model-${index}`,
    source: {
      path: `folder-${index % 3}/model-${index}.glb`,
      bytes: 1,
      mtimeMs: 1,
      version: '1-1',
    },
    reason: 'new',
    ...more,
  }));

const ready = '{ id: ready, type: model_ready, parentIds: [take] }';
const shots = '{ id: shots, type: render, parentIds: [ready] }';
const requestsOf = (nodes: string[], assets: FoundAsset[]) =>
  estimate(planOf(withNodes(ready, ...nodes)), { assets }, null).requests.byOperation;
const mark = (parent: string, config: string) =>
  `{ id: mark, type: set_properties, parentIds: [${parent}], config: { ${config} } }`;

describe('requests for property values', () => {
  it.each([
    [
      'one per batch of fifty assets if all values are equal',
      'ready',
      'values: { Season: a }',
      5,
      0,
    ],
    [
      'three per batch if values differ between three folders',
      'ready',
      'values: { Season: "{{ asset.folder }}" }',
      15,
      5,
    ],
    ['one per asset if all values differ', 'ready', 'values: { Note: "{{ asset.key }}" }', 250, 5],
    [
      'two for the outputs of each fifty renders',
      'shots',
      'assetType: RENDER, values: { Season: a }',
      10,
      0,
    ],
  ])('the number of requests is %s', (_, parent, config, writes, lists) => {
    const outputs = parent === 'shots' ? { outputs: { pictures: 4, videos: 0 } } : {};
    const assets = found(250, outputs);
    expect(requestsOf([shots, mark(parent, config)], assets)).toMatchObject({
      listProperties: 1,
      setAssetProperties: writes,
      ...(lists > 0 ? { searchAssets: lists } : {}),
    });
  });

  it('the number of assets is not limited', () => {
    const requests = requestsOf([mark('ready', 'values: { Stock: 3 }')], found(130_000));
    expect(requests).toMatchObject({ setAssetProperties: 2_600 });
  });

  it('assets that are selected by name add two requests for lists of names', () => {
    const config = 'assetType: STYLE, names: [Warm], values: { Season: a }';
    expect(requestsOf([mark('ready', config)], found(1))).toMatchObject({ searchAssets: 2 });
  });
});

it('a condition adds one list request per property for each hundred models', () => {
  const when = `'model.properties.approved == "yes" && model.properties.stock != null'`;
  const conditional = shots.replace('type: render,', `type: render, when: ${when},`);
  expect(requestsOf([conditional], found(250))).toMatchObject({
    listProperties: 1,
    searchAssets: 6,
    createRenders: 5,
  });
});

describe('a table of Pantone materials', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'renderline-pantone-'));
    const rows = Array.from({ length: 30 }, (_, index) => `Colour ${index},186 C,#c8102e`);
    await writeFile(join(folder, 'colours.csv'), ['name,code,hex', ...rows].join('\n'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const planWith = (path: string) => {
    const table = `table: { connector: out, path: ${path} }`;
    const plan = planOf(
      withNodes(ready, `{ id: colours, type: pantone, parentIds: [ready], config: { ${table} } }`),
    );
    return { ...plan, connectors: { ...plan.connectors, out: { type: 'local', path: folder } } };
  };

  it('a table adds one creation for each row', async () => {
    const plan = await withCostConfigs(planWith('colours.csv'), openConnector);
    const { byOperation } = estimate(plan, { assets: found(3) }, null).requests;
    expect(byOperation).toMatchObject({ createPantoneMaterial: 30, listMaterials: 31 });
  });

  it('a table that cannot be read adds nothing, because the name lookup reports it', async () => {
    const plan = await withCostConfigs(planWith('nothing.csv'), openConnector);
    const { byOperation } = estimate(plan, { assets: found(3) }, null).requests;
    expect(byOperation).not.toHaveProperty('createPantoneMaterial');
  });
});
