// Records, runs and plans of the version before, as this one reads them: nothing is paid again, nothing is lost sight of.
import { describe, expect, it } from 'vitest';
import { FailureGroups } from '../../src/capabilities/failure-groups.ts';
import { openRunStore } from '../../src/capabilities/run-store.ts';
import { searchOf } from '../../src/cli/clean/look.ts';
import { compilePipeline } from '../../src/cli/compiled-file.ts';
import { type Before, choosePlan } from '../../src/cli/rerun/plans.ts';
import { Session } from '../../src/cli/session.ts';
import { withChains } from '../../src/compile/graph/chains.ts';
import { openConnector } from '../../src/connectors/index.ts';
import type { Json, Plan, Step } from '../../src/plan/types.ts';
import { type Undone, undoneOf } from '../../src/store/discovery/undone.ts';

import { ioOf } from './_screen.ts';
import { run } from './_terminal.ts';
import { type Kept, versionBefore } from './_version-before.ts';

/** No Temporal answers here. */
const env = { TEMPORAL_ADDRESS: '127.0.0.1:1' };

const given: Record<Kept, Record<string, string>> = {
  cancelled: { folder: 'cancelled/models', out: 'cancelled/pictures' },
  catalog: { folder: 'catalog/models', out: 'catalog/pictures' },
  grid: { folder: 'grid/models', out: 'grid/pictures' },
  library: { folder: 'library' },
  sheets: { folder: 'sheets/models', out: 'sheets/files' },
};

async function opened(name: Kept) {
  const { root, starts } = await versionBefore(name);
  const file = `${name}.yaml`;
  const session = new Session(ioOf({ cwd: root, env }).io, true);
  const { plan } = await compilePipeline(session, file, given[name]);
  const params = Object.entries(given[name]).flatMap((pair) => ['--param', pair.join('=')]);
  const command = async <T>(...words: string[]) => {
    const ran = await run([...words, file, ...params, '--json'], { cwd: root, env });
    expect(ran.code, ran.stderr).toBe(0);
    return ran.json<T>();
  };
  return { session, file, plan, starts, command };
}

function storeOf({ pipeline, records }: Plan, id: string) {
  return openRunStore(openConnector(records), { run: id, lineage: id, pipeline, recipe: '' });
}

interface Planned {
  assets: Record<string, number>;
  sinceLastRun: { recipeChanged: boolean; parameters: object };
}

describe('what the version before has delivered', () => {
  it.each<[Kept, Record<string, number>]>([
    ['cancelled', { total: 2, new: 1, unchanged: 1, refused: 0 }],
    ['catalog', { total: 5, new: 1, unchanged: 3, refused: 1 }],
    ['grid', { total: 3, new: 0, unchanged: 3, refused: 0 }],
    ['library', { total: 5, new: 0, unchanged: 4, refused: 1 }],
    ['sheets', { total: 1, new: 0, unchanged: 1, refused: 0 }],
  ])('is not done again: %s', async (name, assets) => {
    const { command } = await opened(name);
    const planned = await command<Planned>('plan');
    expect(planned.assets).toEqual({ ...assets, changed: 0, later: 0 });
    expect(planned.sinceLastRun).toMatchObject({ recipeChanged: false, parameters: {} });
  });

  it.each<[Kept, readonly string[]]>([
    ['cancelled', ['mug 28c42013']],
    ['catalog', ['chair 28c42013', 'stool 28c42013', 'table 28c42013']],
    [
      'grid',
      [
        'bench%40!navy d90c048c',
        'bench%40!oak 123d4acf',
        'sofa%40!navy d90c048c',
        'sofa%40!oak 123d4acf',
      ],
    ],
    [
      'library',
      [
        'decals+acme 4f53cda1',
        'props+vase 4f53cda1',
        'textures+felt 4f53cda1',
        'textures+oak+oak 4f53cda1',
      ],
    ],
    ['sheets', ['polo 6213a3cb']],
  ])('has its records, of the recipe that the file still has: %s', async (name, records) => {
    const { plan } = await opened(name);
    const index = await storeOf(plan, 'later').records.index();
    const kept = [...index.entries()].map(({ key, recipe }) => `${key} ${recipe}`);
    expect(kept.toSorted()).toEqual(records);
  });
});

const [first, second] = ['catalog-20261123-131517-2b31', 'catalog-20261123-131531-7417'];
const cancelled = 'cancelled-20261123-131621-3447';
const grid = 'grid-20261123-131545-6357';
const library = 'library-20261123-131554-2fa2';
const sheets = 'sheets-20261123-131603-a437';

describe('what the version before has not delivered', () => {
  it.each<[Kept, string, readonly string[]]>([
    ['catalog', first, ['NOT_A_GLB take 1 broken', 'RENDER_FAILED rendered 2 lamp']],
    ['catalog', second, ['NOT_A_GLB take 1 broken', 'RENDER_FAILED rendered 2 lamp']],
    ['library', library, ['NOT_A_PICTURE library 1 textures/ash']],
    ['cancelled', cancelled, []],
  ])('is told by cause, with the words of this version: %s, %s', async (name, id, told) => {
    const { plan } = await opened(name);
    const groups = new FailureGroups();
    for await (const { failure } of undoneOf(storeOf(plan, id), { isOver: true })) {
      if (failure) groups.add(failure);
    }
    const sorted = groups.sorted();
    const lines = sorted.map(
      ({ code, node, attempts, keys }) => `${code} ${node} ${attempts} ${keys.join(' ')}`,
    );
    expect(lines.toSorted()).toEqual(told);
    for (const { title, fix } of sorted) expect([title, fix]).not.toContain('');
  });

  it('goes on from the project and the render that a cancelled run has left', async () => {
    const { plan } = await opened('cancelled');
    const left: Undone[] = [];
    for await (const one of undoneOf(storeOf(plan, cancelled), { isOver: true })) left.push(one);
    expect(left.map(({ key, outcome, refs }) => ({ key, outcome, refs }))).toMatchObject([
      {
        key: 'plate',
        outcome: 'cancelled',
        refs: {
          modelId: 'aa5187db-b49a-4520-a988-bedcd6c2fc75',
          projectId: '32e69ffa-1b00-4621-af63-b86be535acc1',
          jobId: '5862df45-96f0-4326-ae86-ff00e352ee22',
          batchId: 'ad2a0258-10d2-47b0-b48c-39704c09520a',
        },
      },
    ]);
    const claim = await storeOf(plan, 'later').claims.read('plate');
    expect(claim).toMatchObject({ run: cancelled, state: 'cancelled', refs: left[0]?.refs });
  });
});

describe('plans of runs of the version before', () => {
  /** What this version changes in a plan: it says how many assets are in flight, steps that transfer files take longer, the export of pictures says how large they may be, and the first step names the slots that later ones need. */
  const asNow = (before: Step): Step => {
    const transfers = before.heartbeatMs !== null;
    const step = transfers ? { ...before, startToCloseMs: 2 * 3_600_000 } : before;
    const { verify, what, ...config } = step.config as Record<string, Json>;
    if (!Array.isArray(what) || !what.includes('renders')) return step;
    const added = { ...(verify as Record<string, Json>), maxPixels: 16_777_216 };
    return { ...step, config: { ...config, what, verify: added } };
  };

  it.each<[Kept, string]>([
    ['cancelled', cancelled],
    ['catalog', first],
    ['grid', grid],
    ['library', library],
    ['sheets', sheets],
  ])('are done again as they were, and are still what the file says: %s', async (name, id) => {
    const { session, plan, starts } = await opened(name);
    const start = starts[id];
    if (!start) throw new Error(`no start of ${id}`);
    const snapshot = { run: id, memo: null };
    const flags = { file: undefined, parameters: {}, failed: false, where: null };
    const before = { run: id, known: { snapshot, start } } as Before;
    const chosen = await choosePlan(session, before, { ...flags, with: 'pinned' });
    expect(chosen.plan).toEqual(start.plan);
    // A hash is of the folder's path too.
    const steps = withChains(start.plan.steps.map(asNow));
    const asThen = plan.steps.map(({ slots: _slots, delivery: _delivery, ...step }) => step);
    const { stages, ...rest } = plan;
    expect({ ...rest, recipe: stages?.before, steps: asThen }).toEqual({
      ...start.plan,
      steps,
      window: 16,
      inFlight: 25_000,
      hash: plan.hash,
    });
  });
});

interface Found {
  kind: string;
  found: { run: string; assets: { key: string; came: string; step: string; outcome: string }[] }[];
}

describe('what the version before has made on the platform', () => {
  it.each<[Kept, id: string, kind: string, found: readonly string[]]>([
    [
      'cancelled',
      '5862df45-96f0-4326-ae86-ff00e352ee22',
      'render-job',
      [`${cancelled} plate made shots cancelled`],
    ],
    [
      'catalog',
      'e42ab57f-1d2f-4c5c-850f-295a3d061bf9',
      'model',
      [`${second} lamp kept  failed`, `${first} lamp made take failed`],
    ],
    [
      'grid',
      'af1bd60c-84d4-40c6-b280-c282d1336ba6',
      'variant',
      [`${grid} bench@Navy sent shots complete`],
    ],
    [
      'library',
      '24dd913a-9ba0-4671-ace3-23f745f71bb5',
      'material',
      [`${library} textures/oak/oak made library complete`],
    ],
    [
      'sheets',
      '275314fe-788b-4e31-892f-a0ef21de798c',
      'production-file',
      [`${sheets} polo kept sheets.sheets complete`],
    ],
  ])('is found by its id: %s, %s', async (name, id, kind, lines) => {
    const { command } = await opened(name);
    const found = await command<Found>('find', id);
    expect(found.kind).toBe(kind);
    const told = found.found.flatMap((one) =>
      one.assets.map(({ key, came, step, outcome }) =>
        [one.run, key, came, step, outcome].join(' '),
      ),
    );
    expect(told).toEqual(lines);
  });

  it.each<[Kept, looked: object, orphans: readonly string[]]>([
    ['cancelled', { runs: 1, calls: 4, made: 4 }, []],
    [
      'catalog',
      { runs: 2, calls: 10, made: 10 },
      [
        'project 9e8a3ba3-33c7-493b-821e-1af86f2a3595 stool replaced',
        'model 5eaef231-f2c1-4b4d-b293-fd03c08ca475 stool replaced',
      ],
    ],
    [
      'grid',
      { runs: 1, calls: 8, made: 6 },
      ['project 7bf05f98-93c0-4ae8-80de-7323046d3dad bench@Navy removed'],
    ],
    ['library', { runs: 1, calls: 4, made: 4 }, []],
    ['sheets', { runs: 1, calls: 5, made: 2 }, []],
  ])('is cleaned where nothing uses it any more: %s', async (name, looked, lines) => {
    const { session, file, plan } = await opened(name);
    const runs = { places: [], open: async () => new Set<string>() };
    const search = await searchOf(session, plan, runs, { file, removedColorways: true });
    const { orphans, absent, removed: _removed, usedBy: _usedBy, ...counts } = await search();
    expect([counts, absent]).toEqual([looked, []]);
    const told = orphans.map(({ kind, id, key, reason }) => `${kind} ${id} ${key} ${reason}`);
    expect(told).toEqual(lines);
  });
});
