// What becomes of models whose projects are refused, against a sandbox.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { planOf, withNodes } from '../compile/_compile.ts';
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
    // The document has one code for a missing model and a missing template.
    [404, 'NOT_FOUND'],
    [400, 'VALIDATION_ERROR'],
  ])('with %d leaves the model that is still there to the next run', async (status, code) => {
    const asset = await run.asset('a');
    await run.control('faults', [{ match: 'createProjects', do: { status, code } }]);
    const [refused] = await run.play(plan, [asset]);
    expect(refused).toMatchObject({
      outcome: 'failed',
      failure: { code },
      refs: { modelId: asset.refs.modelId },
    });
  });

  it('since the model is gone is not asked for with that model again', async () => {
    const [gone, there] = [await run.asset('gone'), await run.asset('there')];
    const params = { modelId: gone.refs.modelId ?? '' };
    await run.control('faults', [
      { match: 'createProjects', do: { status: 404, code: 'NOT_FOUND', message: 'not found' } },
    ]);
    await run.client.deleteModel({ params });
    const ended = await run.play(plan, [gone, there]);
    expect(ended.map(({ key, failure, refs }) => [key, failure?.code, refs.missing])).toEqual([
      ['gone', 'MODEL_NOT_FOUND', ['modelId']],
      ['there', 'NOT_FOUND', undefined],
    ]);
  });
});
