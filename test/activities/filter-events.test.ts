// Tests which events and sweeps start runs: only for objects of others, once for each object, and not while the owner
// is unknown.
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createDeps, type Deps } from '../../activities/deps.ts';
import { filterEvents } from '../../activities/run/filter-events.ts';
import { openRunStore } from '../../src/features/run-store.ts';
import type {
  EventObject,
  FilterEventsInput,
  FilteredEvents,
} from '../../src/plan/contract/filter-contract.ts';
import type { RunContext } from '../../src/plan/run/run-context.ts';
import type { ConnectorSpec, EventRules } from '../../src/plan/types.ts';
import { createCellKey } from '../../src/store/records/cell-keys.ts';
import type { RunStore } from '../../src/store/runs/run-store.ts';
import { noWorkflows, runContext } from '../engine/_context.ts';
import { SandboxRun } from '../engine/_sandbox-run.ts';
import { noStages } from '../plan/_steps.ts';

const begins = {
  model_ready: 'model.processed',
  project_created: 'project.created',
  render_complete: 'render.complete',
} as const;

let at: SandboxRun;
let deps: Deps;
let startedMs: number;
let pipelines = 0;
let context: RunContext;
let store: RunStore;
/** Records of other pipelines of the workspace, as Temporal lists them. */
let otherPlaces: ConnectorSpec[];
beforeAll(async () => {
  at = await SandboxRun.start();
});
afterAll(() => at.stop());
beforeEach(() => {
  // Moves past the objects of earlier tests.
  at.pass(3_600);
  startedMs = at.nowMs;
  pipelines += 1;
  context = runContext({
    pipeline: `test-${pipelines}`,
    records: { type: 'local', path: at.folder },
  });
  deps = createDeps({
    client: at.client,
    workflows: { ...noWorkflows },
    secrets: [],
    now: () => at.nowMs,
    recentLocations: async () => otherPlaces,
  });
  otherPlaces = [];
  store = openRunStore(deps.connectorOf(context.records), { ...context, run: 'ours' });
});

function filterFor(
  activity: keyof typeof begins,
  objects: EventObject[] | null,
  rules: Partial<EventRules> = {},
  more: Partial<FilterEventsInput['discovery']> = {},
  scheduledTimestampMs = at.nowMs,
): Promise<FilteredEvents> {
  const event = begins[activity];
  const trigger = {
    event,
    batchWindowMs: 0,
    batchSize: 50,
    sweepIntervalMs: 0,
    overlapMs: 0,
    includesOwn: false,
  };
  const input: FilterEventsInput = {
    context,
    discovery: { node: 'begin', activity, config: { on: event }, key: null, ...more },
    stages: noStages,
    deliveries: [],
    eventTrigger: { ...trigger, ...rules },
    objects,
    sinceMs: objects === null ? startedMs : null,
  };
  const environment = new MockActivityEnvironment({ scheduledTimestampMs });
  return environment.run(() => filterEvents(input, deps)) as Promise<FilteredEvents>;
}

async function modelIdOf(name: string): Promise<string> {
  return (await at.asset(name)).platformIds.modelId ?? '';
}

/** A creating call of our own run, as its intent stores it. */
async function ours(operation: string, body: object, answer: Record<string, object>, runs = store) {
  const key = `${operation}-${Object.keys(answer).join()}-${pipelines}`;
  const createdAt = new Date(at.nowMs).toISOString();
  const intents = runs.intents(0, 'step');
  const bodyText = JSON.stringify(body);
  await intents.open({ operation, key, bodyText, assets: Object.keys(answer), createdAt });
  await intents.finish(key, answer);
}

async function project(modelId: string): Promise<string> {
  const { projects } = await at.client.createProjects({ body: { modelIds: [modelId] } });
  return projects[0]?.projectId ?? '';
}

/** A finished render job with its outputs. */
async function rendered(projectId: string): Promise<{ jobId: string; outputs: string[] }> {
  const settings = { imageCustomResolution: true, imageCustomWidth: 16, imageCustomHeight: 9 };
  const body = { projectIds: [projectId], settings: { ...settings, renderShots: false } };
  const jobId = (await at.client.createRenders({ body })).jobs[0]?.jobId ?? '';
  at.pass(20);
  await at.sandbox.idle();
  const { renders = [] } = await at.client.getRenderJob({ params: { jobId } });
  return { jobId, outputs: renders.map(({ id }) => id).sort() };
}

const sorted = ({ ids, needsAnotherSweep }: FilteredEvents) => ({
  ids: ids.toSorted(),
  needsAnotherSweep,
});

describe('a sweep', () => {
  it('a sweep finds ready models except those that we uploaded', async () => {
    const [theirs, mine] = [await modelIdOf('theirs'), await modelIdOf('mine')];
    await ours('createModels', {}, { mine: { modelId: mine } });
    at.pass(60);
    expect(await filterFor('model_ready', null)).toEqual({
      ids: [theirs],
      needsAnotherSweep: false,
    });
    const all = await filterFor('model_ready', null, { includesOwn: true });
    expect(sorted(all).ids).toEqual([theirs, mine].sort());
  });

  it('a sweep finds projects except those that we created, including projects of models that we uploaded', async () => {
    const modelId = await modelIdOf('lamp');
    await ours('createModels', {}, { lamp: { modelId } });
    const [theirs, mine] = [await project(modelId), await project(modelId)];
    await ours('createProjects', {}, { lamp: { projectId: mine } });
    at.pass(60);
    expect(await filterFor('project_created', null)).toEqual({
      ids: [theirs],
      needsAnotherSweep: false,
    });
  });

  it('a sweep finds only the outputs of other clients in a project that also has our renders', async () => {
    const projectId = await project(await modelIdOf('chair'));
    const [theirs, mine] = [await rendered(projectId), await rendered(projectId)];
    await ours('createRenders', { projectIds: [projectId] }, { chair: { jobId: mine.jobId } });
    at.pass(60);
    expect(sorted(await filterFor('render_complete', null)).ids).toEqual(theirs.outputs);
    // A finished job of ours is requested once.
    const sent = deps.requestsOf(context.run).take().byOperation;
    expect(sent).toEqual({ listRenders: 1, getRenderJob: 1 });
    await filterFor('render_complete', null);
    expect(deps.requestsOf(context.run).take().byOperation).toEqual({ listRenders: 1 });
  });

  it.each([
    ['events', (id: string) => [{ id }]],
    ['a sweep', () => null],
  ])(
    '%s: nothing is filtered while the records of earlier runs are missing',
    async (_what, objectsOf) => {
      const modelId = await modelIdOf('stool');
      await ours('createModels', {}, { stool: { modelId } });
      at.pass(60);
      const folder = join(at.folder, '.renderline');
      await rename(folder, `${folder}.away`);
      deps.workflows.findCompletedRun = async () => 'night-1';
      const cause = { fix: expect.stringMatching(/set another location .* apply the file again/) };
      const error = { message: expect.stringMatching(/^RECORDS_MISSING: /), details: [cause] };
      await expect(filterFor('model_ready', objectsOf(modelId))).rejects.toMatchObject(error);
      await rename(`${folder}.away`, folder);
      await store.recipes.write('r', noStages);
      expect((await filterFor('model_ready', objectsOf(modelId))).ids).toEqual([]);
    },
  );

  it('a sweep does not find objects from before its period', async () => {
    await project(await modelIdOf('old'));
    startedMs = at.nowMs + 1;
    at.pass(60);
    expect(await filterFor('project_created', null)).toEqual({ ids: [], needsAnotherSweep: false });
  });

  it('a sweep skips objects that one of our calls may be creating, and leaves them to the next sweep', async () => {
    const modelId = await modelIdOf('lamp');
    const old = await project(modelId);
    at.pass(120);
    const call = { operation: 'createProjects', key: `open-${pipelines}`, bodyText: '{}' };
    const createdAt = new Date(at.nowMs).toISOString();
    const intents = store.intents(0, 'step');
    await intents.open({ ...call, assets: ['lamp'], createdAt });
    const [theirs, mine] = [await project(modelId), await project(modelId)];
    expect(await filterFor('project_created', null)).toEqual({
      ids: [old],
      needsAnotherSweep: true,
    });
    expect((await filterFor('project_created', null, { includesOwn: true })).ids).toHaveLength(3);
    await intents.finish(call.key, { lamp: { projectId: mine } });
    const later = await filterFor('project_created', null);
    expect(sorted(later)).toEqual({ ids: [old, theirs].sort(), needsAnotherSweep: false });
  });

  it('a sweep skips objects that a run has claimed, even if the run failed', async () => {
    const modelId = await modelIdOf('broken');
    const claim = { key: 'broken', version: 'v1', shard: 0 };
    await store.claims.claim(claim, { isAlive: async () => true });
    at.pass(60);
    expect(await filterFor('model_ready', null)).toEqual({ ids: [], needsAnotherSweep: false });
    expect((await filterFor('model_ready', [{ id: modelId }])).ids).toEqual([modelId]);
  });

  it('a sweep of a grid skips models whose colorways are all claimed, and lists the others once', async () => {
    const done = await modelIdOf('done');
    const begun = await modelIdOf('begun');
    const spec = {
      from: 'list',
      colorways: ['Red', 'Blue'].map((name) => ({ name, rules: [], where: null })),
    };
    for (const key of [
      createCellKey('done', 'Red'),
      createCellKey('done', 'Blue'),
      createCellKey('begun', 'Red'),
    ]) {
      await store.claims.claim({ key, version: 'v1', shard: 0 }, { isAlive: async () => true });
    }
    at.pass(60);
    expect(
      await filterFor('model_ready', null, {}, { grid: [{ name: 'colorway', node: 'v', spec }] }),
    ).toEqual({
      ids: [begun],
      needsAnotherSweep: false,
    });
    expect((await filterFor('model_ready', [{ id: done }])).ids).toEqual([done]);
  });
});

describe('events', () => {
  it('events of models that we uploaded start no run', async () => {
    await ours('createModels', {}, { mine: { modelId: 'm1' } });
    const objects = [{ id: 'm1' }, { id: 'm2' }];
    expect(await filterFor('model_ready', objects)).toEqual({
      ids: ['m2'],
      needsAnotherSweep: false,
    });
    expect((await filterFor('model_ready', objects, { includesOwn: true })).ids).toEqual([
      'm1',
      'm2',
    ]);
  });

  it('events of projects that we created start no run', async () => {
    await ours('createProjects', {}, { mine: { projectId: 'p1' } });
    const objects = [{ id: 'p1' }, { id: 'p2' }];
    expect(await filterFor('project_created', objects)).toEqual({
      ids: ['p2'],
      needsAnotherSweep: false,
    });
  });

  it('events of our render jobs start no run, and save the sweep some requests', async () => {
    const projectId = await project(await modelIdOf('stool'));
    const { jobId, outputs } = await rendered(projectId);
    await ours('createRenders', { projectIds: [projectId] }, { stool: { jobId } });
    const objects = outputs.map((id) => ({ id, job: jobId }));
    const theirs = { id: 'r1', job: 'j1' };
    expect((await filterFor('render_complete', [...objects, theirs])).ids).toEqual(['r1']);
    at.pass(60);
    expect((await filterFor('render_complete', null)).ids).toEqual([]);
    expect(deps.requestsOf(context.run).take().byOperation).toEqual({ listRenders: 1 });
  });

  it.each<[keyof typeof begins, string, object, EventObject]>([
    ['render_complete', 'createRenders', { jobId: 'j8' }, { id: 'r8', job: 'j8' }],
    ['project_created', 'createProjects', { projectId: 'p8' }, { id: 'p8' }],
  ])(
    'events (%s) wait while the response to our call (%s) is missing, and then start no run',
    async (activity, operation, created, ours) => {
      const key = `open-${pipelines}`;
      const createdAt = new Date(at.nowMs).toISOString();
      const intents = store.intents(0, 'step');
      await intents.open({ operation, key, bodyText: '{}', assets: ['lamp'], createdAt });
      at.pass(30);
      await expect(filterFor(activity, [ours])).rejects.toMatchObject({
        type: 'NOT_YET',
        nextRetryDelay: 5_000,
      });
      await intents.finish(key, { lamp: created });
      expect((await filterFor(activity, [ours])).ids).toEqual([]);
    },
  );

  it.each([
    ['wait for', 59, null],
    ['do not wait for', 61, ['p9']],
  ])(
    'events %s calls that began %i s after them, as clocks may differ by a minute',
    async (...row) => {
      const [, seconds, ids] = row;
      const receivedAtMs = at.nowMs;
      at.pass(seconds);
      const createdAt = new Date(at.nowMs).toISOString();
      const call = { operation: 'createProjects', key: `open-${pipelines}`, bodyText: '{}' };
      await store.intents(0, 'step').open({ ...call, assets: ['lamp'], createdAt });
      const events = filterFor('project_created', [{ id: 'p9' }], {}, {}, receivedAtMs);
      if (ids === null) await expect(events).rejects.toMatchObject({ type: 'NOT_YET' });
      else expect((await events).ids).toEqual(ids);
    },
  );

  it('events send no request to the platform', async () => {
    await filterFor('model_ready', [{ id: 'm1' }]);
    await filterFor('render_complete', [{ id: 'r1', job: 'j1' }]);
    expect(deps.requestsOf(context.run).take().byOperation).toEqual({});
  });
});

describe('work of another pipeline with records in another location', () => {
  const besideFolder = () => join(at.folder, `beside-${pipelines}`);

  /** Records of another pipeline, with what it has created. */
  async function besides(operation: string, answer: Record<string, object>): Promise<void> {
    const records = { type: 'local', path: besideFolder() };
    const beside = { ...context, run: 'beside', pipeline: 'beside', records };
    await ours(operation, {}, answer, openRunStore(deps.connectorOf(records), beside));
    otherPlaces.push(records);
  }

  it('work of another pipeline starts no run, either by an event or by a sweep, unless the file allows it', async () => {
    const [theirs, mine] = [await modelIdOf('theirs'), await modelIdOf('mine')];
    await besides('createModels', { mine: { modelId: mine } });
    at.pass(60);
    const objects = [{ id: theirs }, { id: mine }];
    expect(await filterFor('model_ready', objects)).toEqual({
      ids: [theirs],
      needsAnotherSweep: false,
    });
    expect(await filterFor('model_ready', null)).toEqual({
      ids: [theirs],
      needsAnotherSweep: false,
    });
    expect((await filterFor('model_ready', objects, { includesOwn: true })).ids).toEqual([
      theirs,
      mine,
    ]);
    expect(sorted(await filterFor('model_ready', null, { includesOwn: true })).ids).toEqual(
      [theirs, mine].sort(),
    );
  });

  it('projects and render jobs of another pipeline start no run either', async () => {
    await besides('createProjects', { mine: { projectId: 'p1' } });
    await besides('createRenders', { mine: { jobId: 'j1' } });
    expect((await filterFor('project_created', [{ id: 'p1' }, { id: 'p2' }])).ids).toEqual(['p2']);
    const outputs = [
      { id: 'r1', job: 'j1' },
      { id: 'r2', job: 'j2' },
    ];
    expect((await filterFor('render_complete', outputs)).ids).toEqual(['r2']);
  });

  it('work of a run that is no longer listed is still skipped, and its records are not read again', async () => {
    await besides('createModels', { mine: { modelId: 'm1' } });
    const objects = [{ id: 'm1' }, { id: 'm2' }];
    await filterFor('model_ready', objects);
    otherPlaces = [];
    await rm(besideFolder(), { recursive: true });
    expect((await filterFor('model_ready', objects)).ids).toEqual(['m2']);
  });

  it('work of a pipeline that has filtered its own events first is still skipped by the other pipelines', async () => {
    await besides('createModels', { mine: { modelId: 'm7' } });
    const ownContext = context;
    context = { ...context, pipeline: 'beside', records: { type: 'local', path: besideFolder() } };
    expect((await filterFor('model_ready', [{ id: 'm7' }])).ids).toEqual([]);
    context = ownContext;
    otherPlaces = [];
    expect((await filterFor('model_ready', [{ id: 'm7' }, { id: 'm2' }])).ids).toEqual(['m2']);
  });

  it('a call of a run that was terminated meanwhile keeps objects back for only ten minutes', async () => {
    const records = { type: 'local', path: besideFolder() };
    const beside = { ...context, run: 'beside', pipeline: 'beside', records };
    const call = { operation: 'createProjects', key: `open-${pipelines}`, bodyText: '{}' };
    const createdAt = new Date(at.nowMs).toISOString();
    const intents = openRunStore(deps.connectorOf(records), beside).intents(0, 'step');
    await intents.open({ ...call, assets: ['lamp'], createdAt });
    otherPlaces.push(records);
    const theirs = await project(await modelIdOf('lamp'));
    at.pass(60);
    expect(await filterFor('project_created', null)).toEqual({ ids: [], needsAnotherSweep: true });
    otherPlaces = [];
    at.pass(600);
    expect(await filterFor('project_created', null)).toEqual({
      ids: [theirs],
      needsAnotherSweep: false,
    });
  });

  it.each<[string, ConnectorSpec, string[] | RegExp]>([
    ['does not exist', { type: 'local', path: '/nowhere/at/all' }, ['m2']],
    ['has a type that this worker does not know', { type: 'floppy' }, ['m2']],
    [
      'does not respond',
      { type: 's3', bucket: 'records', endpoint: 'http://127.0.0.1:9', region: 'eu-central-1' },
      /the records of another pipeline cannot be read: .*127\.0\.0\.1:9/,
    ],
  ])(
    'the other pipeline is skipped, or causes an error, if the location of its records %s',
    { timeout: 120_000 },
    async (_why, place, expected) => {
      vi.stubEnv('AWS_ACCESS_KEY_ID', 'key');
      vi.stubEnv('RENDERLINE_ALLOW_HOSTS', '127.0.0.1');
      vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
      onTestFinished(() => void vi.unstubAllEnvs());
      otherPlaces.push(place);
      const sifted = filterFor('model_ready', [{ id: 'm2' }]);
      if (expected instanceof RegExp) await expect(sifted).rejects.toThrow(expected);
      else expect((await sifted).ids).toEqual(expected);
    },
  );
});
