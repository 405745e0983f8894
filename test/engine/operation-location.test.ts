// Wrong paths of colorway operations in a file. The message names the path, and nothing is paid for twice.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { awaitColorways } from '../../src/features/variants/colorway-steps.ts';
import { routesOf } from '../../src/plan/named-operations.ts';
import { planOf, withNodes } from '../compile/_compile.ts';
import { SandboxRun } from './_sandbox-run.ts';

let run: SandboxRun;
beforeEach(async () => {
  run = await SandboxRun.start();
  await run.material('Oak');
});
afterEach(() => run.stop());

const nodes = withNodes(
  '{ id: ready, type: model_ready, parentIds: [take] }',
  '{ id: v, type: variant, parentIds: [ready], config: { swapRules: [{ matchText: body, matchMode: contains, material: Oak }] } }',
);

async function play(named: string, asset: Awaited<ReturnType<SandboxRun['asset']>>) {
  const made = planOf(`${nodes}\noperations: { ${named} }`);
  const client = run.client.withOperations(routesOf(made.operations));
  const [ended] = await run.runPlan(made, [asset], { client });
  return ended;
}

it('a batch that is read at a wrong path is kept for the next run', async () => {
  const made = planOf(`${nodes}\noperations: { getColorwayBatch: 'GET /nowhere/{batchId}' }`);
  const [step] = made.steps.filter(({ id }) => id === 'v.wait');
  if (step === undefined) throw new Error('the plan waits for no colorway');
  const asset = await run.asset('a');
  const platformIds = {
    ...asset.platformIds,
    modelId: 'm1',
    colorway: { before: '', batchId: 'b1' },
  };
  const context = run.context(made, step);
  const results = await awaitColorways({}, [{ ...asset, platformIds }], context);
  expect(results).toEqual([
    {
      key: 'a',
      outcome: 'failed',
      code: 'COLORWAY_BATCH_NOT_FOUND',
      message:
        "getColorwayBatch at 'GET /nowhere/{batchId}', as set under `operations:` in the pipeline file, has no colorway batch b1; correct the path",
    },
  ]);
});

it('a batch that is sent to a wrong path is refused, and the message identifies the path', async () => {
  const ended = await play("createColorwayBatch: 'POST /nowhere'", await run.asset('a'));
  expect(ended?.failure?.message).toMatch(
    /^createColorwayBatch at 'POST \/nowhere', as set under `operations:` in the pipeline file, responded with NOT_FOUND: /,
  );
});
