// Models whose projects the platform refuses, against a sandbox.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { failSharedId } from '../../src/engine/submit/shared-ids.ts';
import { createMissingProjects } from '../../src/features/projects/project-created.ts';
import { planOf, withNodes } from '../compile/_compile.ts';
import { colorway, inCell } from '../plan/_cells.ts';
import { SandboxRun } from './_sandbox-run.ts';

let run: SandboxRun;
beforeEach(async () => {
  run = await SandboxRun.start();
});
afterEach(() => run.stop());

const plan = planOf(
  withNodes(
    '{ id: ready, type: model_ready, parentIds: [take] }',
    '{ id: place, type: project_created, parentIds: [ready] }',
  ),
);

describe('a project that the platform refuses', () => {
  it.each([
    // The API reference has one code for a missing model and a missing template.
    [404, 'NOT_FOUND'],
    [400, 'VALIDATION_ERROR'],
  ])(
    'a refusal with %d keeps the id of an existing model for the next run',
    async (status, code) => {
      const asset = await run.asset('a');
      await run.control('faults', [{ match: 'createProjects', do: { status, code } }]);
      const [refused] = await run.runPlan(plan, [asset]);
      expect(refused).toMatchObject({
        outcome: 'failed',
        failure: { code },
        platformIds: { modelId: asset.platformIds.modelId },
      });
    },
  );

  it('a refusal because the model is gone marks the model id as missing', async () => {
    const [gone, there] = [await run.asset('gone'), await run.asset('there')];
    const params = { modelId: gone.platformIds.modelId ?? '' };
    await run.control('faults', [
      { match: 'createProjects', do: { status: 404, code: 'NOT_FOUND', message: 'not found' } },
    ]);
    await run.client.deleteModel({ params });
    const ended = await run.runPlan(plan, [gone, there]);
    expect(
      ended.map(({ key, failure, platformIds }) => [key, failure?.code, platformIds.missingIds]),
    ).toEqual([
      ['gone', 'MODEL_NOT_FOUND', ['modelId']],
      ['there', 'NOT_FOUND', undefined],
    ]);
  });
});

it('an asset may have the name of a property that every object has', async () => {
  const assets = [await run.asset('constructor'), await run.asset('__proto__')];
  const ended = await run.runPlan(plan, assets);
  expect(ended.map(({ key, platformIds }) => [key, platformIds.projectId])).toEqual([
    ['constructor', expect.any(String)],
    ['__proto__', expect.any(String)],
  ]);
});

describe('projects of a model in two colorways, after the worker was killed during the calls', () => {
  it.each([
    ['the first call was never sent', 'Ash', 'Oak'],
    ['the second call was never sent', 'Oak', 'Ash'],
  ])('each colorway gets exactly one project if %s', async (_which, unsent, sent) => {
    const { platformIds, source } = await run.asset('a');
    const cell = (name: string) => ({
      key: `a@${name}`,
      source: inCell(source, 'a', colorway(name)),
      platformIds,
    });
    const step = { id: 'place', node: 'place', batch: 50, retry: null };
    /** @param atCheck number of the lease check at which the worker dies */
    const make = (names: string[], atCheck = Infinity) => {
      let looks = 0;
      const confirmLease = async () => {
        looks += 1;
        if (looks === atCheck) throw new Error('killed');
      };
      return createMissingProjects({}, names.map(cell), run.context(plan, step, { confirmLease }));
    };
    await expect(make([unsent], 1)).rejects.toThrow('killed');
    run.pass(5);
    await expect(make([sent], 2)).rejects.toThrow('killed');
    const results = (await make([unsent, sent])).map(failSharedId);
    expect(results.map(({ outcome }) => outcome)).toEqual(['done', 'done']);
    const { projects } = await run.client.listProjects({ query: {} });
    const ids = results.flatMap((one) => ('platformIds' in one ? one.platformIds?.projectId : []));
    expect(new Set(ids)).toEqual(new Set(projects.map(({ projectId }) => projectId)));
    expect(new Set(ids).size).toBe(2);
  });
});
