import { describe, expect, test } from 'vitest';
import { estimate } from '../../src/engine/estimate.ts';
import { type Plan, planSchema, type Step, type StepActivityName } from '../../src/plan/types.ts';

function step(activity: StepActivityName, config: Step['config'] = {}): Step {
  return {
    id: activity,
    node: activity,
    activity,
    mode: 'call',
    parents: [],
    when: null,
    config,
    batch: 50,
    startToCloseMs: 1,
    heartbeatMs: null,
    timeoutMs: 1,
    redo: null,
  };
}

function plan(steps: Step[]): Plan {
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
    discovery: { node: 'take', activity: 'connector_poll', config: {}, key: null },
    steps,
    shardSize: 250,
    window: 4,
    route: [],
  };
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

describe('what variants and production files cost', () => {
  test("settings are a request's, so chosen variants cost one for each asset", () => {
    const some = plan([step('variant'), step('render')]);
    expect(estimate(some, 10, null).requests.byOperation).toMatchObject({
      listModelVariants: 10,
      createRenders: 10,
    });
  });

  test('a colorway is a request for many, a production file some for each', () => {
    const all = plan([
      step('variants_before'),
      step('colorway_batch'),
      step('colorway_complete'),
      step('variant'),
      step('production_export'),
      step('production_complete'),
    ]);
    const { requests, seconds } = estimate(all, 10, null);
    expect(requests.byOperation).toMatchObject({
      createColorwayBatch: 1,
      listModelVariants: 20,
      exportProductionFile: 10,
      listProductionFiles: 10,
    });
    expect(seconds).toBeGreaterThan(120);
    // A capture uses what an image render uses, so `limits.renders` holds for both.
    expect(estimate(all, 10, null).renders).toBe(10);
    const sheets = plan([step('export', { what: ['production_files'] })]);
    expect(estimate(sheets, 10, null).requests.byOperation).toEqual({});
  });
});

describe('expected cost', () => {
  test('a thousand assets stay far below one request each', () => {
    const { requests, renders } = estimate(whole, 1_000, null);
    expect(requests.byOperation).toMatchObject({
      createJob: 20,
      confirmJobUploads: 20,
      createProjects: 20,
      createRenders: 20,
      listTemplates: 1,
    });
    expect(requests.total).toBe(Object.values(requests.byOperation).reduce((a, b) => a + b));
    expect(requests.total).toBeLessThan(300);
    expect(renders).toBe(1_000);
  });

  test('nothing to do costs nothing', () => {
    expect(estimate(whole, 0, 600)).toEqual({
      requests: { total: 0, byOperation: {} },
      windows: 0,
      renders: 0,
      seconds: 0,
    });
  });

  test('files with a category cannot share a job', () => {
    const { requests } = estimate(plan([step('connector_poll', { category: 'shoe' })]), 120, null);
    expect(requests.byOperation).toEqual({ createModels: 3, confirmModel: 120 });
  });

  test('an import costs by the kinds that it takes; decals are not waited for', () => {
    const costs = (config: Step['config']) =>
      estimate(plan([step('library_import', config), step('library_complete')]), 200, null).requests
        .byOperation;
    expect(costs({ decals: {} })).toEqual({ createDecals: 4, confirmDecal: 200 });
    expect(costs({ props: {}, materials: {} })).toMatchObject({
      createProps: 2,
      confirmProp: 100,
      createMaterial: 100,
      confirmMaterial: 100,
    });
  });

  test('an allowance makes windows, and windows make time', () => {
    const free = estimate(whole, 1_000, null);
    const tight = estimate(whole, 1_000, 50);
    expect(free.windows).toBeNull();
    expect(tight.windows).toBe(Math.ceil(free.requests.total / 50));
    expect(tight.seconds).toBeGreaterThanOrEqual(((tight.windows ?? 0) - 1) * 60);
    expect(tight.seconds).toBeGreaterThan(free.seconds);
  });
});
