// Variants that are chosen after their project was created. They are added to it once, by the operation that the file
// defines.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { triangleGlb } from '../../packages/sandbox/test/_test-sandbox.ts';
import { type Client, createClient } from '../../src/api/client.ts';
import { RateBudget } from '../../src/api/rate-limit/budget.ts';
import { addVariants } from '../../src/features/variants/add-variants.ts';
import { routesOf } from '../../src/plan/named-operations.ts';
import type { Asset, Plan } from '../../src/plan/types.ts';
import { planOf, withNodes } from '../compile/_compile.ts';
import { type AddVariantsProxy, openAddVariantsProxy } from './_add-variants-proxy.ts';
import { SandboxRun } from './_sandbox-run.ts';

let run: SandboxRun;
let proxy: AddVariantsProxy;
let client: Client;
beforeEach(async () => {
  run = await SandboxRun.start();
  proxy = await openAddVariantsProxy(run.sandbox.origin);
  const { apiKey } = run.sandbox;
  client = createClient({ baseUrl: proxy.url, apiKey, budget: new RateBudget() });
  await run.material('Oak');
});
afterEach(async () => {
  await client.close();
  await proxy.close();
  await run.stop();
});

const usual = "'POST /projects/{projectId}/variants'";

function plan(operation = usual): Plan {
  const nodes = withNodes(
    '{ id: ready, type: model_ready, parentIds: [take] }',
    '{ id: first, type: project_created, parentIds: [ready] }',
    '{ id: v, type: variant, parentIds: [first], config: { swapRules: [{ matchText: body, matchMode: contains, material: Oak }] } }',
    '{ id: shots, type: render, parentIds: [v], config: { settings: { renderShots: false } } }',
  );
  return planOf(`${nodes}\noperations: { addVariantsToProject: ${operation} }`);
}

const play = (made: Plan, assets: readonly Asset[]) =>
  run.runPlan(made, assets, { client: client.withOperations(routesOf(made.operations)) });

async function rendered(): Promise<string[]> {
  const { renders } = await run.client.listRenders({ query: {} });
  return renders.map(({ name = '' }) => name);
}

describe('adding a variant that was chosen after its project was created', () => {
  it('the variant is added to the project, and is the only one rendered', async () => {
    const assets = [await run.asset('a'), await run.asset('b', triangleGlb(['Red', 'Blue']))];
    const ended = await play(plan(), assets);
    expect(ended.map(({ outcome }) => outcome)).toEqual(['complete', 'complete']);
    expect((await rendered()).toSorted()).toEqual(['a - Oak - Main', 'b - Oak - Main']);
    expect(Object.fromEntries(proxy.addRequests.map(({ path, body }) => [path, body]))).toEqual(
      Object.fromEntries(
        ended.map(({ platformIds: { projectId, variants } }) => [
          `/api/v1/projects/${projectId}/variants`,
          { variantIds: variants },
        ]),
      ),
    );
    expect(run.requests()).toMatchObject({ createProjects: 1, addVariantsToProject: 2 });
  });

  it('the request body is the one defined in the pipeline file', async () => {
    const body = "{ project: '{{ projectId }}', add: { ids: '{{ variantIds }}', keep: true } }";
    const [ended] = await play(plan(`{ route: 'POST /project-variants', body: ${body} }`), [
      await run.asset('a'),
    ]);
    expect(ended?.outcome).toBe('complete');
    const { projectId, variants } = ended?.platformIds ?? {};
    expect(proxy.addRequests).toMatchObject([
      { body: { project: projectId, add: { ids: variants, keep: true } } },
    ]);
    expect(await rendered()).toEqual(['a - Oak - Main']);
  });

  it('no request is sent if the asset has no project yet, because the new project will include the variant', async () => {
    const [step] = plan().steps.filter(({ id }) => id === 'v.project');
    if (step === undefined) throw new Error('the plan does not add variants');
    const asset = { ...(await run.asset('a')), platformIds: { variants: ['v1'] } };
    const results = await addVariants({}, [asset], run.context(plan(), step, { client }));
    expect(results).toEqual([{ key: 'a', outcome: 'done' }]);
    expect(proxy.addRequests).toEqual([]);
  });

  it('the variant counts as added if the response is empty but successful', async () => {
    proxy.faults.push('empty');
    const [ended] = await play(plan(), [await run.asset('a')]);
    expect(ended?.outcome).toBe('complete');
  });
});

describe('adding variants twice', () => {
  it('variants are not added again by another attempt or another run', async () => {
    const asset = await run.asset('a');
    const [ended] = await play(plan(), [asset]);
    await play(plan(), [asset]);
    await play(plan(), [{ ...asset, platformIds: ended?.platformIds ?? {} }]);
    expect(proxy.addRequests).toHaveLength(1);
  });

  it('a retry after a lost response sends the same bytes with the same idempotency key', async () => {
    proxy.faults.push('lose');
    const asset = await run.asset('a');
    await expect(play(plan(), [asset])).rejects.toThrow('addVariantsToProject');
    const [ended] = await play(plan(), [asset]);
    expect(ended).toMatchObject({
      outcome: 'complete',
      platformIds: { possibleDuplicate: expect.stringMatching(/^addVariantsToProject .* twice$/) },
    });
    const [first, again, ...more] = proxy.addRequests;
    expect(again).toEqual(first);
    expect(first?.key).toMatch(/\w{16}/);
    expect(more).toEqual([]);
    expect(await rendered()).toEqual(['a - Oak - Main']);
  });

  it('a day after a lost response, the call fails with OUTCOME_UNKNOWN and nothing is sent', async () => {
    proxy.faults.push('lose');
    const asset = await run.asset('a');
    await expect(play(plan(), [asset])).rejects.toThrow();
    run.pass(24 * 3_600);
    await expect(play(plan(), [asset])).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    expect(proxy.addRequests).toHaveLength(1);
  });
});

describe('a refused request to add variants', () => {
  it('a refused request fails only its own asset, which is not rendered and whose message contains the response', async () => {
    proxy.faults.push(
      { status: 400, code: 'VALIDATION_ERROR' },
      { status: 405, code: 'NO_METHOD' },
    );
    const assets = [await run.asset('a'), await run.asset('b'), await run.asset('c')];
    const ended = await play(plan(), assets);
    const failed = ended.flatMap(({ failure }) => failure ?? []);
    const said = `addVariantsToProject at ${usual}, as set under \`operations:\` in the pipeline file, responded with`;
    expect(failed.map(({ node, code }) => `${node} ${code}`)).toEqual([
      'v VARIANTS_NOT_ADDED',
      'v VARIANTS_NOT_ADDED',
    ]);
    expect(failed.map(({ message }) => message).toSorted()).toEqual([
      `${said} 400 VALIDATION_ERROR: as the test wants it`,
      `${said} 405 NO_METHOD: as the test wants it`,
    ]);
    expect(await rendered()).toHaveLength(1);
  });

  it('the request is sent again after a wrong path is corrected', async () => {
    const asset = await run.asset('a');
    const [wrong] = await play(plan("'POST /nowhere/{projectId}'"), [asset]);
    expect(wrong?.failure).toMatchObject({ code: 'VARIANTS_NOT_ADDED' });
    expect(await rendered()).toEqual([]);
    const [ended] = await play(plan(), [asset]);
    expect(ended?.outcome).toBe('complete');
    expect(await rendered()).toEqual(['a - Oak - Main']);
  });

  it.each([
    [422, 'VALIDATION_ERROR'],
    [415, 'NO_JSON'],
  ])(
    'a refusal with status %i leaves no unfinished call, and the next request uses the changed file',
    async (status, code) => {
      proxy.faults.push({ status, code });
      const asset = await run.asset('a');
      const body = "{ project: '{{ projectId }}', add: { ids: '{{ variantIds }}' } }";
      const [wrong] = await play(plan(`{ route: 'POST /project-variants', body: ${body} }`), [
        asset,
      ]);
      expect(wrong?.failure).toMatchObject({ node: 'v', code: 'VARIANTS_NOT_ADDED' });
      const [ended] = await play(plan(), [asset]);
      expect(ended?.outcome).toBe('complete');
      const [first, ...next] = proxy.addRequests;
      expect(first?.body).toHaveProperty('add');
      expect(next.map(({ path }) => path)).toEqual([
        `/api/v1/projects/${ended?.platformIds.projectId}/variants`,
      ]);
    },
  );

  it('a request for a project that is not yet visible is retried', async () => {
    proxy.faults.push({ status: 404, code: 'PROJECT_NOT_FOUND' });
    expect(await play(plan(), [await run.asset('a')])).toMatchObject([{ outcome: 'complete' }]);
  });

  it('a request for a missing project fails the asset and marks its project id as missing', async () => {
    const gone = { status: 404, code: 'PROJECT_NOT_FOUND' };
    proxy.faults.push(...Array.from({ length: 60 }, () => gone));
    const [ended] = await play(plan(), [await run.asset('a')]);
    expect(ended).toMatchObject({
      failure: { code: 'PROJECT_NOT_FOUND' },
      platformIds: { missingIds: ['projectId', 'added'] },
    });
  });
});
