import { describe, expect, test } from 'vitest';
import type { FoundAsset, FoundWork } from '../../src/engine/cost/found-work.ts';
import { plannedWorkOf } from '../../src/engine/cost/limit-excess.ts';
import { estimate } from '../../src/features/estimate.ts';
import type { CellSharing } from '../../src/plan/grid.ts';
import { type Plan, planSchema, type Step } from '../../src/plan/types.ts';
import type { AssetReason } from '../../src/store/runs/run-assets.ts';
import { colorway, inCell, view } from '../plan/_cells.ts';
import { noStages } from '../plan/_steps.ts';

function step(activity: string, config: Step['config'] = {}): Step {
  return {
    id: activity,
    node: activity,
    activity,
    mode: 'call',
    parents: ['before'],
    when: null,
    config,
    batch: 50,
    startToCloseMs: 1,
    heartbeatMs: null,
    timeoutMs: 1,
    retry: null,
  };
}

/** The first asset is no longer at its destination. */
function reasonOf(at: number): { reason: AssetReason } {
  return { reason: at === 0 ? 'redeliver' : 'new' };
}

/** A chain of steps. */
function plan(chain: Step[]): Plan {
  const steps = chain.map((one, at) => ({
    ...one,
    parents: chain.slice(Math.max(0, at - 1), at).map(({ id }) => id),
  }));
  return {
    schema: planSchema,
    hash: 'h',
    pipeline: 'p',
    file: 'p.yaml',
    parameters: {},
    connectors: {},
    records: { type: 'local', path: '/r' },
    destination: null,
    recipe: 'r',
    stages: noStages,
    discovery: { node: 'take', activity: 'connector_poll', config: {}, key: null },
    steps,
    shardSize: 250,
    window: 4,
    inFlight: 25_000,
    route: [],
  };
}

/** The given number of assets. A path without an extension is a texture set. */
function files(count: number, path = 'shoe.glb'): FoundWork {
  const set = path.includes('.') ? {} : { set: { name: path, files: {} } };
  const source = { path, bytes: 1, mtimeMs: 1, version: '1', ...set };
  return { assets: Array.from({ length: count }, (_, at) => ({ key: `${at} ${path}`, source })) };
}

const whole = plan([
  step('connector_poll'),
  step('model_ready'),
  step('template_match'),
  step('project_created'),
  step('render'),
  step('render_complete'),
  step('export'),
]);

describe('the cost of variants and production files', () => {
  test('one request starts up to fifty renders of chosen variants', () => {
    const some = plan([step('variant'), step('render')]);
    expect(estimate(some, files(60), null).requests.byOperation).toMatchObject({
      listModelVariants: 60,
      createRenders: 2,
    });
  });

  test('a grid uploads models and lists variants once per model, but creates batches per colorway', () => {
    const shared = (cells: CellSharing, ...activities: string[]) =>
      activities.map((activity) => ({ ...step(activity), cells }));
    const steps = [
      ...shared({ work: 0, calls: 0 }, 'connector_poll'),
      ...shared({ work: 1, calls: 0 }, 'variants_before'),
      ...shared({ work: 1, calls: 1 }, 'colorway_batch'),
      ...shared({ work: 1, calls: 0 }, 'colorway_variant'),
      ...shared({ work: 1, calls: 1 }, 'project_created', 'render', 'render_complete'),
    ];
    const assets = files(60).assets.flatMap(({ source }, at) =>
      ['Oak', 'Ash', 'Elm'].map((name) => ({
        key: `m${at}@${name}`,
        source: inCell(source, `m${at}`, colorway(name)),
      })),
    );
    // Fifty models in three colorways fill a shard.
    const grid = { ...plan(steps), shardSize: 150 };
    const { requests, renders, creates } = estimate(grid, { assets }, null);
    expect(requests.byOperation).toMatchObject({
      createJob: 2,
      listModelVariants: 120,
      createColorwayBatch: 6,
      createProjects: 6,
      createRenders: 6,
      getRenderJob: 1,
    });
    expect([renders, creates]).toEqual([180, { model: 60, project: 180 }]);
    expect(plannedWorkOf({ assets })).toEqual({ assets: 180, models: 60, bytes: 60 });

    const changed = assets.map((asset) => ({ ...asset, reason: 'changed' as const }));
    const deleting = estimate(
      { ...grid, supersede: 'delete-after-success' },
      { assets: changed },
      null,
    );
    expect(deleting.deletes).toBe(60);
    expect(deleting.requests.byOperation).toMatchObject({ deleteModel: 60, deleteProject: 180 });
  });

  test('views add only projects and renders', () => {
    const of = (cells: CellSharing, ...activities: string[]) =>
      activities.map((activity) => ({ ...step(activity), cells }));
    const steps = [
      ...of({ work: 0, calls: 0 }, 'connector_poll'),
      ...of({ work: 1, calls: 0 }, 'variants_before'),
      ...of({ work: 1, calls: 1 }, 'colorway_batch'),
      ...of({ work: 2, calls: 2 }, 'project_created', 'render'),
    ];
    const assets = files(50).assets.flatMap(({ source }, at) =>
      ['front', 'hero'].map((name) => ({
        key: `m${at}@Oak@${name}`,
        source: inCell(source, `m${at}`, colorway('Oak'), view(name)),
      })),
    );
    const { requests, renders } = estimate({ ...plan(steps), shardSize: 100 }, { assets }, null);
    expect(requests.byOperation).toMatchObject({
      createJob: 1,
      listModelVariants: 50,
      createColorwayBatch: 1,
      createProjects: 2,
      createRenders: 2,
    });
    expect(renders).toBe(100);
  });

  test('a colorway batch is one request for many assets; a production file takes several requests each', () => {
    const all = plan([
      step('variants_before'),
      step('colorway_batch'),
      step('colorway_complete'),
      step('variant'),
      step('production_export'),
      step('production_complete'),
    ]);
    const { requests, seconds } = estimate(all, files(10), null);
    expect(requests.byOperation).toMatchObject({
      createColorwayBatch: 1,
      listModelVariants: 20,
      exportProductionFile: 10,
      listProductionFiles: 10,
    });
    expect(seconds).toBeGreaterThan(120);
    // `limits.renders` counts captures like image renders.
    expect(estimate(all, files(10), null)).toMatchObject({ renders: 10, min: true });
    expect(estimate(all, files(0), null)).not.toHaveProperty('min');
    const [isNew, isKnown] = [files(1), files(1)];
    for (const asset of isKnown.assets) asset.reusableStages = ['source'];
    expect(estimate(all, isNew, null)).toMatchObject({ renders: 1, max: false });
    // The views of a known model may be up to date.
    expect(estimate(all, isKnown, null)).toMatchObject({ renders: 1, max: true, min: true });
    const sheets = plan([step('export', { what: ['production_files'] })]);
    expect(estimate(sheets, files(10), null).requests.byOperation).toEqual({});
  });
});

describe('expected cost', () => {
  test('a thousand assets need far fewer requests than one each', () => {
    const { requests, renders } = estimate(whole, files(1_000), null);
    expect(requests.byOperation).toMatchObject({
      createJob: 20,
      confirmJobUploads: 20,
      createProjects: 20,
      createRenders: 20,
      listTemplates: 1,
    });
    expect(requests.total).toBe(Object.values(requests.byOperation).reduce((a, b) => a + b));
    expect(requests.max).toBeLessThan(400);
    expect(renders).toBe(1_000);
  });

  test.each([
    // Runs of the demo sent 28 to 50 requests.
    [10, 22, 71],
    [1, 22, 35],
  ])(
    '%d assets need more requests if a slow platform completes them one after another',
    (count, total, max) => {
      expect(estimate(whole, files(count), null).requests).toMatchObject({ total, max });
    },
  );

  test.each<[what: string, config: Step['config'], reads: number]>([
    ['pictures', {}, 0],
    ['TIFFs', { settings: { imageFormat: 'TIFF' } }, 60],
    ['a video', { settings: { shotsToRender: ['turn'] } }, 60],
    ['no video', { settings: { renderShots: false, shotsToRender: ['turn'] } }, 0],
    [
      'TIFFs in one of three views',
      { views: [{ name: 'a' }, { name: 'b' }, { name: 'c', settings: { imageFormat: 'TIFF' } }] },
      20,
    ],
  ])(
    'the delivery of a render with %s reads each job whose URLs the list lacks',
    (_, config, reads) => {
      const chain = [step('render', config), step('render_complete'), step('export')];
      const waiting = 1;
      const { byOperation } = estimate(plan(chain), files(60), null).requests;
      expect((byOperation['getRenderJob'] ?? 0) - waiting).toBe(reads);
      const { byOperation: undelivered } = estimate(
        plan(chain.slice(0, 2)),
        files(60),
        null,
      ).requests;
      expect(undelivered).toMatchObject({ getRenderJob: waiting });
    },
  );

  test('without a wait, the maximum equals the expected number of requests', () => {
    const { total, max } = estimate(plan([step('connector_poll')]), files(60), null).requests;
    expect([total, max]).toEqual([4, 4]);
  });

  test('a run without assets costs nothing', () => {
    expect(estimate(whole, files(0), 600)).toEqual({
      requests: { total: 0, max: 0, byOperation: {} },
      windows: 0,
      renders: 0,
      max: false,
      files: { total: 0, min: false },
      creates: {},
      countsByStep: Object.fromEntries(
        whole.steps.map(({ id }) => [id, { assets: 0, undecided: 0 }]),
      ),
      deletes: 0,
      seconds: 0,
    });
  });

  test('files with a category cannot share an upload job', () => {
    const { requests } = estimate(
      plan([step('connector_poll', { category: 'shoe' })]),
      files(120),
      null,
    );
    expect(requests.byOperation).toEqual({ createModels: 3, confirmModel: 120 });
  });

  test('an import counts requests by kind of item, and no polls for decals', () => {
    const costs = (...paths: string[]) =>
      estimate(
        plan([step('library_import'), step('library_complete')]),
        { assets: paths.flatMap((path) => files(60, path).assets) },
        null,
      ).requests.byOperation;
    expect(costs('logo.png')).toEqual({ createDecals: 2, confirmDecal: 60 });
    expect(costs('vase.glb', 'oak')).toEqual({
      createProps: 2,
      confirmProp: 60,
      checkPropStatus: 2,
      createMaterial: 60,
      confirmMaterial: 60,
      checkMaterialStatus: 18,
    });
  });

  test('with `supersede`, each changed file adds the deletion of its old resources', () => {
    const changed = (count: number, path?: string) => ({
      assets: files(count, path).assets.map((asset) => ({ ...asset, reason: 'changed' as const })),
    });
    const work = { assets: [...files(5).assets, ...changed(3).assets] };
    const deleting = (chain: Step[]): Plan => ({
      ...plan(chain),
      supersede: 'delete-after-success',
    });
    const kept = estimate(whole, work, null);
    const { deletes, requests } = estimate(deleting(whole.steps), work, null);
    expect([kept.deletes, deletes]).toEqual([0, 3]);
    expect(requests.total - kept.requests.total).toBe(6);
    expect(requests.byOperation).toMatchObject({ deleteProject: 3, deleteModel: 3 });

    const replaced = (version: string) => {
      const moved = { key: 'b', record: 'b@1-1~r.json', isKeyUnused: false };
      const [asset] = files(1).assets.map((one) => ({
        ...one,
        moved,
        previous: [`a@${version}~r.json`],
      }));
      return { assets: asset ? [{ ...asset, source: { ...asset.source, version: '1-1' } }] : [] };
    };
    const deletesOf = (version: string) =>
      estimate(deleting(whole.steps), replaced(version), null).deletes;
    expect({ anotherFile: deletesOf('2-2'), sameFile: deletesOf('1-1') }).toEqual({
      anotherFile: 1,
      sameFile: 0,
    });

    const upload = estimate(deleting([step('connector_poll')]), changed(2), null);
    expect(upload.requests.byOperation).toMatchObject({ deleteModel: 2 });
    expect(upload.requests.byOperation).not.toHaveProperty('deleteProject');
    const library = { assets: [...changed(2, 'a.png').assets, ...changed(1, 'oak').assets] };
    const items = estimate(deleting([step('library_import')]), library, null);
    expect(items.requests.byOperation).toMatchObject({ deleteDecal: 2, deleteMaterial: 1 });
    expect(items.requests.byOperation).not.toHaveProperty('deleteModel');
  });

  test('assets that only need to be delivered again add no render and no upload', () => {
    const { assets } = files(3);
    const found = { assets: assets.map((asset, at) => ({ ...asset, ...reasonOf(at) })) };
    expect(estimate(plan([step('render')]), found, null).renders).toBe(2);
    expect(plannedWorkOf(found)).toEqual({ assets: 3, models: 2, bytes: 2 });
  });

  test('the allowance determines the number of windows, which determines the duration', () => {
    const free = estimate(whole, files(1_000), null);
    const tight = estimate(whole, files(1_000), 50);
    expect(free.windows).toBeNull();
    expect(tight.windows).toBe(Math.ceil(free.requests.total / 50));
    expect(tight.seconds).toBeGreaterThanOrEqual(((tight.windows ?? 0) - 1) * 60);
    expect(tight.seconds).toBeGreaterThan(free.seconds);
  });

  describe('the requests for model files', () => {
    const ar = plan([
      step('export', { connector: 'out', what: ['models'], formats: ['glb', 'usdz'] }),
    ]);
    const found = (key: string, more: Partial<FoundAsset> = {}): FoundAsset => ({
      key,
      source: { path: `${key}.glb`, bytes: 1, mtimeMs: 1, version: '1' },
      ...more,
    });
    const cell = (name: string, more: Partial<FoundAsset> = {}) =>
      found(`a@${name}`, {
        source: inCell(found('a').source, 'a', colorway(name)),
        ...more,
      });
    const glb = {
      key: 'a',
      path: 'a.glb',
      bytes: 1,
      sha256: 'x',
      width: 0,
      height: 0,
      output: 'm.glb',
      delivery: 'd',
    };
    const platformIds = { modelId: 'm', modelFiles: [glb] };
    const reusableStages = ['source'] as const;

    test.each<[string, FoundAsset[], number, number]>([
      ['one for each file of a new model', [found('a'), found('b')], 4, 4],
      [
        'zero for files that were delivered under other names',
        [found('a', { reusableStages, models: ['glb', 'usdz'] })],
        2,
        0,
      ],
      ['one for a new format', [found('a', { reusableStages, models: ['glb'] })], 2, 1],
      ['one for each file of a replaced model', [found('a', { models: ['glb', 'usdz'] })], 2, 2],
      ['one for each file that earlier work has not recorded', [found('a', { platformIds })], 2, 1],
      [
        'one for each file if the model has another id',
        [found('a', { platformIds: { ...platformIds, modelId: 'n' } })],
        2,
        2,
      ],
      [
        'at most one for each file that may be missing',
        [found('a', { platformIds, reason: 'redeliver' })],
        2,
        2,
      ],
      [
        'one for each file of a model, whatever the number of its cells',
        [cell('Oak'), cell('Navy'), found('b')],
        4,
        4,
      ],
      [
        'one for a new cell if only the USDZ is missing',
        [cell('Oak', { platformIds }), cell('Navy')],
        2,
        1,
      ],
    ])('the number of requests for model files is %s', (_what, assets, files, requests) => {
      const { modelFiles, requests: all } = estimate(ar, { assets }, null);
      expect([modelFiles, all.byOperation]).toEqual([
        files,
        requests > 0 ? { downloadModel: requests } : {},
      ]);
    });

    test('the estimate of a pipeline without model files has no `modelFiles`', () => {
      expect(estimate(whole, files(2), null)).not.toHaveProperty('modelFiles');
    });
  });
});
