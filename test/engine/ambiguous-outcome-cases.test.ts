// Ambiguous calls besides lost responses: no work was done, a worker died, or the work was done in part or by others.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDeps, type Deps } from '../../activities/deps.ts';
import { triangleGlb } from '../../packages/sandbox/test/_test-sandbox.ts';
import { createIdempotencyKey } from '../../src/api/requests/idempotency-key.ts';
import { openConnector } from '../../src/connectors/index.ts';
import { openRunStore } from '../../src/features/run-store.ts';
import type { Asset, AssetResult } from '../../src/plan/types.ts';
import { type AttemptsResult, runAttempts } from './_attempts.ts';
import { noWorkflows, runContext } from './_context.ts';
import { creatingCalls, modelNames, withProjects } from './_creating-calls.ts';
import { EffectCounter, killableWorker } from './_killable-worker.ts';
import { SandboxRun } from './_sandbox-run.ts';

let at: SandboxRun;
beforeEach(async () => {
  at = await SandboxRun.start();
});
afterEach(() => at.stop());

const scene = (operation: string) => {
  const found = creatingCalls[operation];
  if (found === undefined) throw new Error(`no scene for ${operation}`);
  return found;
};

const warningsOf = ({ results }: AttemptsResult) =>
  [...results.values()].flatMap((result) => ('warnings' in result ? (result.warnings ?? []) : []));
const refsOf = (result: AssetResult | undefined) =>
  result !== undefined && 'platformIds' in result ? result.platformIds : undefined;

describe('a server that fails before it does any work', () => {
  /** No read shows that these calls have failed. */
  const untold = ['createRenders', 'createColorwayBatch'];

  it.each(Object.keys(creatingCalls).filter((operation) => !operation.startsWith('retry')))(
    '%s is done once, with a warning only if no read can show that the first call failed',
    async (operation) => {
      const { activity, prepare, createdIds: made } = scene(operation);
      const { plan, assets } = await prepare(at);
      await at.control('faults', [{ match: operation, nth: 1, do: { status: 503 } }]);
      const ended = await runAttempts(at, plan, activity, assets);
      const once = operation === 'exportProductionFile' ? ['v1', 'v2'] : undefined;
      expect(await made(at, assets)).toHaveLength(once?.length ?? assets.length);
      const isTold = untold.includes(operation);
      expect(warningsOf(ended)).toHaveLength(isTold ? assets.length : 0);
    },
  );
});

describe('a worker that dies after a call but before it records the response', () => {
  const killed = (operation: string): ((deps: Deps, attempt: number) => Deps) => {
    const effects = new EffectCounter(1);
    return (deps, attempt) =>
      attempt === 1 ? killableWorker(deps, effects, (effect) => effect === operation) : deps;
  };

  it.each(Object.keys(creatingCalls))(
    '%s: the next attempt finds the created resources by the idempotency key or by a read',
    async (operation) => {
      const { activity, prepare, createdIds: made } = scene(operation);
      const { plan, assets } = await prepare(at);
      const ended = await runAttempts(at, plan, activity, assets, { worker: killed(operation) });
      expect(ended.attempts).toBe(2);
      const once = { exportProductionFile: 2, createMaterial: 2 }[operation] ?? assets.length;
      const sent = operation.startsWith('retry') ? 1 : once;
      expect(await made(at, assets)).toHaveLength(sent);
      expect(warningsOf(ended)).toEqual([]);
    },
  );

  it.each(['createProjects', 'confirmJobUploads', 'retryRenderJob', 'exportProductionFile'])(
    '%s: a read finds the created resources if the key cannot replay the failed response',
    async (operation) => {
      const { activity, prepare, createdIds: made } = scene(operation);
      const { plan, assets } = await prepare(at);
      await at.control('faults', [{ match: operation, nth: 1, do: { commitThenStatus: 500 } }]);
      const ended = await runAttempts(at, plan, activity, assets, { worker: killed(operation) });
      const once = { retryRenderJob: 1, exportProductionFile: 2 }[operation] ?? assets.length;
      expect(await made(at, assets)).toHaveLength(once);
      expect(ended.requests).not.toHaveProperty(operation);
    },
  );

  it.each(['createJob', 'createModels', 'createProps', 'createDecals', 'createMaterial'])(
    '%s: the result warns about resources that the first call may have left behind',
    async (operation) => {
      const { activity, prepare, createdIds: made } = scene(operation);
      const { plan, assets } = await prepare(at);
      await at.control('faults', [{ match: operation, nth: 1, do: { commitThenStatus: 500 } }]);
      const ended = await runAttempts(at, plan, activity, assets, { worker: killed(operation) });
      const all = await made(at, assets);
      expect(all.length).toBeGreaterThan(assets.length);
      const told = warningsOf(ended);
      expect(told).not.toEqual([]);
      for (const words of told)
        expect(words).toMatch(/after its worker had stopped.* of the same name/);
    },
  );

  it('createRenders: a project that may have two jobs is marked `ownProject: false`', async () => {
    const { activity, prepare } = scene('createRenders');
    const { plan, assets } = await prepare(at);
    const ended = await runAttempts(at, plan, activity, assets, {
      worker: killed('createRenders'),
    });
    for (const result of ended.results.values()) {
      expect(refsOf(result)).toMatchObject({ ownProject: false });
    }
  });
});

describe('a call that the rate limit rejected', () => {
  it('a rejected call is sent again without a read, because it cannot have done any work', async () => {
    const { activity, prepare } = scene('createProjects');
    const { plan, assets } = await prepare(at);
    await at.control('faults', [{ match: 'createProjects', nth: 1, do: { rateLimited: true } }]);
    let kept: Deps | undefined;
    // The same worker retries and adds to its request counts.
    const worker = (deps: Deps) => {
      kept ??= deps;
      return kept;
    };
    const { requests } = await runAttempts(at, plan, activity, assets, { worker });
    expect(requests).toEqual({ createProjects: 2 });
  });
});

describe('projects after an ambiguous call', () => {
  const projects = scene('createProjects');

  it('projects created before an error are adopted, and only the missing ones are created', async () => {
    const { plan, assets } = await projects.prepare(at);
    const [first] = assets;
    const startedMs = at.nowMs;
    await at.control('faults', [{ match: 'createProjects', nth: 1, do: { status: 500 } }]);
    const ended = await runAttempts(at, plan, 'project_created', assets, {
      async betweenAttempts(attempt) {
        if (attempt > 1 || first === undefined) return;
        await withProjects(at, [first]);
      },
    });
    expect(ended.results.size).toBe(2);
    // The worker waits, since the platform may still have been working.
    expect(at.nowMs - startedMs).toBeGreaterThan(60_000);
    expect(await projects.createdIds(at, assets)).toEqual(['a', 'b']);
    expect(warningsOf(ended)).toEqual([]);
  });

  it('projects that are older or use another template are not mistaken for those of the call', async () => {
    const { plan, assets } = await projects.prepare(at);
    const before = await withProjects(at, assets);
    at.pass(60);
    await at.control('faults', [{ match: 'createProjects', nth: 1, do: { status: 500 } }]);
    const { templates } = await at.client.listTemplates();
    const { templateId = '' } = templates[0] ?? {};
    const ended = await runAttempts(at, plan, 'project_created', assets, {
      async betweenAttempts() {
        const modelIds = assets.map(({ platformIds }) => platformIds.modelId ?? '');
        await at.client.createProjects({ body: { modelIds, createPerModel: true, templateId } });
      },
    });
    const known = before.map(({ platformIds }) => platformIds.projectId);
    for (const result of ended.results.values()) {
      expect(known).not.toContain(refsOf(result)?.projectId);
    }
    expect(await projects.createdIds(at, assets)).toHaveLength(6);
  });

  it('if projects cannot be listed, they are requested again and reported as possible duplicates', async () => {
    const { plan, assets } = await projects.prepare(at);
    await at.control('faults', [
      { match: 'createProjects', nth: 1, do: { commitThenStatus: 500 } },
      { match: 'listProjects', do: { status: 400 } },
    ]);
    const ended = await runAttempts(at, plan, 'project_created', assets);
    expect(ended.requests).toEqual({ listProjects: 1, createProjects: 1 });
    expect(warningsOf(ended)).toHaveLength(2);
  });

  it("projects are found even if the platform's clock is an hour ahead", async () => {
    const { plan, assets } = await projects.prepare(at);
    await at.control('faults', [
      { match: 'createProjects', nth: 1, do: { commitThenStatus: 502 } },
    ]);
    const worker = (deps: Deps) => ({ ...deps, now: () => at.nowMs - 3_600_000 });
    await runAttempts(at, plan, 'project_created', assets, { worker });
    expect(await projects.createdIds(at, assets)).toEqual(['a', 'b']);
  });
});

describe('a response that omits some of its items', () => {
  it.each([
    ['createJob', 2],
    ['createProjects', 2],
    ['createRenders', 2],
  ])(
    '%s: the missing items are searched for before they are created again',
    async (operation, count) => {
      const { activity, prepare, createdIds: made } = scene(operation);
      const { plan, assets } = await prepare(at);
      await at.control('faults', [{ match: operation, nth: 1, do: { leaveOut: 1 } }]);
      const ended = await runAttempts(at, plan, activity, assets);
      expect([...ended.results.values()].map(({ outcome }) => outcome)).toEqual(['done', 'done']);
      expect(await made(at, assets)).toHaveLength(count);
    },
  );

  it.each(['createModels', 'createProps', 'createDecals'])(
    '%s: an item without an upload link fails, and the message lists what may be left behind',
    async (operation) => {
      const { activity, prepare, createdIds: made } = scene(operation);
      const { plan, assets } = await prepare(at);
      await at.control('faults', [{ match: operation, nth: 1, do: { leaveOut: 1 } }]);
      const ended = await runAttempts(at, plan, activity, assets);
      expect(ended.results.get('a')?.outcome).toBe('done');
      expect(ended.results.get('b')).toMatchObject({
        outcome: 'failed',
        message: expect.stringMatching(
          /no reason; (model|prop|decal) \S+ with the same name may remain on the platform/,
        ),
      });
      expect(await made(at, assets)).toEqual(['a', 'b']);
    },
  );
});

describe('materials with the same name', () => {
  it('an existing material with the same name is not mistaken for the result of a lost call', async () => {
    const { plan, assets } = await scene('createMaterial').prepare(at);
    const alike = assets.map((asset) => {
      const { source } = asset;
      return {
        ...asset,
        source: { ...source, set: { name: 'wood', files: source.set?.files ?? {} } },
      };
    });
    await at.control('faults', [{ match: 'createMaterial', nth: 2, do: { reset: 'after' } }]);
    const ended = await runAttempts(at, plan, 'library_import', alike);
    expect(warningsOf(ended)).toEqual([]);
    const { materials } = await at.client.listMaterials();
    expect(materials.map(({ name }) => name)).toEqual(['wood', 'wood']);
  });
});

describe('renders after an ambiguous call', () => {
  it('if a retry of the call is refused for one project, the renders of the others are still reported', async () => {
    const { plan, assets } = await scene('createRenders').prepare(at);
    await at.control('faults', [{ match: 'createRenders', nth: 1, do: { commitThenStatus: 500 } }]);
    const [gone] = assets;
    const ended = await runAttempts(at, plan, 'render', assets, {
      async betweenAttempts(attempt) {
        const params = { projectId: gone?.platformIds.projectId ?? '' };
        if (attempt === 1) await at.client.deleteProject({ params });
      },
    });
    expect(ended.results.get('a')?.outcome).toBe('failed');
    expect(refsOf(ended.results.get('b'))).toMatchObject({ ownProject: false });
    expect(warningsOf(ended)).toEqual([expect.stringMatching(/^createRenders .* twice$/)]);
  });
});

describe('colorways after an ambiguous call', () => {
  const colorways = scene('createColorwayBatch');

  it('colorways of an ambiguous batch are awaited, and no second batch is sent', async () => {
    const { plan, assets } = await colorways.prepare(at);
    await at.control('faults', [
      { colorway: '**', do: { durationMs: 50_000 } },
      { match: 'createColorwayBatch', nth: 1, do: { commitThenStatus: 500 } },
    ]);
    const ended = await runAttempts(at, plan, 'colorway_batch', assets);
    expect(await colorways.createdIds(at, assets)).toEqual(['Oak', 'Oak']);
    expect(warningsOf(ended)).toEqual([]);
  });

  it('colorways that do not appear within a minute are requested again and reported as possible duplicates', async () => {
    const { plan, assets } = await colorways.prepare(at);
    await at.control('faults', [
      { colorway: '**', do: { durationMs: 300_000 } },
      { match: 'createColorwayBatch', nth: 1, do: { commitThenStatus: 500 } },
    ]);
    const ended = await runAttempts(at, plan, 'colorway_batch', assets);
    expect(warningsOf(ended)).toHaveLength(2);
  });
});

describe('a production file after an ambiguous call', () => {
  it('a file is recognized even if the platform writes the ids of its variants differently', async () => {
    const { prepare, createdIds } = scene('exportProductionFile');
    const { plan, assets } = await prepare(at);
    const [asset] = assets as [Asset];
    const params = { modelId: asset.platformIds.modelId ?? '' };
    const { variants } = await at.client.listModelVariants({ params });
    const braced = variants.map((one) => `{${String(one['variantId']).toUpperCase()}}`);
    const chosen = { ...asset, platformIds: { ...asset.platformIds, variants: braced } };
    await at.control('faults', [
      { match: 'exportProductionFile', nth: 1, do: { commitThenStatus: 500 } },
    ]);
    await runAttempts(at, plan, 'production_export', [chosen]);
    expect(await createdIds(at, [asset])).toEqual(['v1', 'v2']);
  });

  it("a file that another step requested with other options is not mistaken for the call's result", async () => {
    const { plan, assets } = await scene('exportProductionFile').prepare(at);
    const [asset] = assets as [Asset];
    const params = { modelId: asset.platformIds.modelId ?? '' };
    const { variants } = await at.client.listModelVariants({ params });
    const variantIds = variants.map((one) => String(one['variantId']));
    const body = { variantIds, options: { factoryNote: 'lit' } };
    const run = runContext({ records: { type: 'local', path: at.folder } });
    const store = openRunStore(openConnector(run.records), run, { now: () => at.nowMs });
    const parts = { lineage: run.lineage, step: 'other', assets: [asset.key], epoch: 0 };
    await store.intents(0, 'other').open({
      operation: 'exportProductionFile',
      key: createIdempotencyKey(parts),
      bodyText: JSON.stringify(body),
      params,
      assets: [asset.key],
      createdAt: new Date(at.nowMs).toISOString(),
    });
    await at.control('faults', [{ match: 'exportProductionFile', nth: 1, do: { status: 500 } }]);
    const ended = await runAttempts(at, plan, 'production_export', assets, {
      betweenAttempts: async () => void (await at.client.exportProductionFile({ params, body })),
    });
    expect(refsOf(ended.results.get(asset.key))?.sheet?.name).toMatch(/-v3$/);
  });
});

describe('an unfinished call of an earlier run', () => {
  it('the call is ignored if the file has been replaced since, because the asset then had another model', async () => {
    const { plan, assets } = await scene('createProjects').prepare(at);
    const [old] = assets as [Asset];
    const deps = createDeps({
      client: at.client,
      workflows: noWorkflows,
      secrets: [],
    });
    const records = { type: 'local', path: at.folder };
    const before = deps.storeOf(runContext({ run: 'dead', records }));
    const step = plan.steps.find(({ activity }) => activity === 'project_created');
    await before.intents(0, step?.id ?? '').open({
      operation: 'createProjects',
      key: 'of the dead run',
      bodyText: JSON.stringify({ modelIds: [old.platformIds.modelId], createPerModel: true }),
      assets: ['a'],
      createdAt: new Date(at.nowMs).toISOString(),
    });
    await deps.storeOf(runContext({ records })).writeOrigins(0, [{ run: 'dead', shard: 0 }]);
    const now = { ...(await at.asset('a', triangleGlb([], 'new'))), key: 'a' };
    const ended = await runAttempts(at, plan, 'project_created', [now]);
    const params = { projectId: refsOf(ended.results.get('a'))?.projectId ?? '' };
    const { modelIds } = await at.client.getProject({ params });
    expect(modelIds).toEqual([now.platformIds.modelId]);
    expect(await modelNames(at)).toEqual(['a', 'a', 'b']);
  });
});
