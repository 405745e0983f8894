// All colorways of a model share the work on it, and all views of a colorway share the work on the colorway.
import { describe, expect, it } from 'vitest';
import { shareWork } from '../../src/features/grid/shared-work.ts';
import type { PlatformIds } from '../../src/plan/platform-ids.ts';
import type { AssetResult, StepAsset } from '../../src/plan/types.ts';
import { colorway, inCell, view } from '../plan/_cells.ts';
import { asset } from '../plan/_steps.ts';

function cell(
  model: string,
  name: string,
  platformIds: PlatformIds = {},
  enteredAtMs?: number,
): StepAsset {
  const { source } = asset(model);
  const times = enteredAtMs === undefined ? {} : { enteredAtMs };
  return {
    key: `${model}@${name}`,
    source: inCell(source, model, colorway(name)),
    platformIds,
    ...times,
  };
}

it("a node gets each model once, under the model's key and with the ids of the most advanced colorway", () => {
  const known = { modelId: 'm', lastCreatedAtMs: 7, jobId: 'of another colorway', projectId: 'p' };
  const { representatives: models } = shareWork(
    [cell('a', 'Oak'), cell('a', 'Ash', known), cell('b', 'Oak')],
    0,
  );
  expect(models.map(({ key, platformIds, source }) => [key, platformIds, source.cell])).toEqual([
    ['a', { modelId: 'm', lastCreatedAtMs: 7 }, undefined],
    ['b', {}, undefined],
  ]);
});

it('an upload that has been started is continued', () => {
  const { representatives: models } = shareWork(
    [cell('a', 'Oak'), cell('a', 'Ash', { uploadStarted: true })],
    0,
  );
  expect(models[0]?.platformIds).toEqual({ uploadStarted: true });
});

const outcomes: [what: string, result: AssetResult, spread: Partial<AssetResult>][] = [
  [
    'the created ids',
    { key: 'a', outcome: 'done', platformIds: { modelId: 'm' } },
    { outcome: 'done', platformIds: { modelId: 'm' } },
  ],
  ['a pruned outcome', { key: 'a', outcome: 'pruned' }, { outcome: 'pruned' }],
  [
    'a failure, and the ids to forget',
    { key: 'a', outcome: 'failed', code: 'BROKEN', message: 'no', forgetIds: ['modelId'] },
    { outcome: 'failed', code: 'BROKEN', forgetIds: ['modelId'] },
  ],
];
it.each(outcomes)('all colorways of the model get %s', (_what, result, expected) => {
  const { toAssetResults: spread } = shareWork(
    [cell('a', 'Oak'), cell('b', 'Oak'), cell('a', 'Ash')],
    0,
  );
  expect(spread([result])).toMatchObject([
    { key: 'a@Oak', ...expected },
    { key: 'a@Ash', ...expected },
  ]);
});

it("a colorway that joins later gets the other colorways' model", () => {
  const { toAssetResults: spread } = shareWork(
    [cell('a', 'Oak', { modelId: 'm', jobId: 'j' }), cell('a', 'New')],
    0,
  );
  expect(spread([{ key: 'a', outcome: 'done' }])).toEqual([
    { key: 'a@Oak', outcome: 'done' },
    { key: 'a@New', outcome: 'done', platformIds: { modelId: 'm' } },
  ]);
});

describe('views of a colorway', () => {
  function inView(name: string, platformIds: PlatformIds = {}): StepAsset {
    const source = inCell(asset('a').source, 'a', colorway('Oak'), view(name));
    return { key: `a@Oak@${name}`, source, platformIds };
  }
  const begun = { modelId: 'm', colorway: { before: 'x', batchId: 'b' } };

  it('the views of a colorway are one asset under its key, without the ids of a single view', () => {
    const { representatives: shared } = shareWork(
      [inView('front', { modelId: 'm', projectId: 'p', jobId: 'j' }), inView('hero', begun)],
      1,
    );
    expect(shared.map(({ key, platformIds }) => [key, platformIds])).toEqual([['a@Oak', begun]]);
    expect(shared[0]?.source.cell).toEqual({ group: 'a', positions: [colorway('Oak')] });
  });

  it('all views get the variant that one of them already has', () => {
    const chosen = { modelId: 'm', variants: ['v'], variantName: 'Oak' };
    const { toAssetResults: spread } = shareWork(
      [inView('front', chosen), inView('hero', { modelId: 'm' })],
      1,
    );
    expect(spread([{ key: 'a@Oak', outcome: 'done' }])).toEqual([
      { key: 'a@Oak@front', outcome: 'done' },
      { key: 'a@Oak@hero', outcome: 'done', platformIds: { variants: ['v'], variantName: 'Oak' } },
    ]);
  });

  it('one asset represents all views of a model where work is shared by model', () => {
    const { representatives: shared } = shareWork(
      [inView('front'), inView('hero'), cell('b', 'Oak')],
      0,
    );
    expect(shared.map(({ key }) => key)).toEqual(['a', 'b']);
  });
});
