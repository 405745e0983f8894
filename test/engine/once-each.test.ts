// What is done for a model is done for all of its colorways, and what is done for a colorway for all of its views.
import { describe, expect, it } from 'vitest';
import { shareByModel, shareByViews } from '../../src/features/variants/grid/shared-work.ts';
import type { PlatformIds } from '../../src/plan/platform-ids.ts';
import type { AssetResult, StepAsset } from '../../src/plan/types.ts';
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
    source: { ...source, colorway: { name, model, rules: [] } },
    platformIds,
    ...times,
  };
}

it('a node sees each model once, under its own key, as the colorway that knows most of it', () => {
  const known = { modelId: 'm', lastCreatedAtMs: 7, jobId: 'of another colorway', projectId: 'p' };
  const { shared: models } = shareByModel([
    cell('a', 'Oak'),
    cell('a', 'Ash', known),
    cell('b', 'Oak'),
  ]);
  expect(models.map(({ key, platformIds, source }) => [key, platformIds, source.colorway])).toEqual(
    [
      ['a', { modelId: 'm', lastCreatedAtMs: 7 }, undefined],
      ['b', {}, undefined],
    ],
  );
});

it('one that was begun is gone on with', () => {
  const { shared: models } = shareByModel([
    cell('a', 'Oak'),
    cell('a', 'Ash', { uploadStarted: true }),
  ]);
  expect(models[0]?.platformIds).toEqual({ uploadStarted: true });
});

const outcomes: [what: string, result: AssetResult, spread: Partial<AssetResult>][] = [
  [
    'what was made',
    { key: 'a', outcome: 'done', platformIds: { modelId: 'm' } },
    { outcome: 'done', platformIds: { modelId: 'm' } },
  ],
  ['what was passed over', { key: 'a', outcome: 'pruned' }, { outcome: 'pruned' }],
  [
    'a failure, with what must not be built on',
    { key: 'a', outcome: 'failed', code: 'BROKEN', message: 'no', forgetIds: ['modelId'] },
    { outcome: 'failed', code: 'BROKEN', forgetIds: ['modelId'] },
  ],
];
it.each(outcomes)('%s is that of all colorways', (_what, result, expected) => {
  const { spread } = shareByModel([cell('a', 'Oak'), cell('b', 'Oak'), cell('a', 'Ash')]);
  expect(spread([result])).toMatchObject([
    { key: 'a@Oak', ...expected },
    { key: 'a@Ash', ...expected },
  ]);
});

it('a colorway that joins later gets the model of the others', () => {
  const { spread } = shareByModel([
    cell('a', 'Oak', { modelId: 'm', jobId: 'j' }),
    cell('a', 'New'),
  ]);
  expect(spread([{ key: 'a', outcome: 'done' }])).toEqual([
    { key: 'a@Oak', outcome: 'done' },
    { key: 'a@New', outcome: 'done', platformIds: { modelId: 'm' } },
  ]);
});

describe('views of a colorway', () => {
  function view(name: string, platformIds: PlatformIds = {}): StepAsset {
    const viewed = cell('a', 'Oak');
    const { key: of } = viewed;
    return {
      key: `${of}@${name}`,
      source: { ...viewed.source, view: { name, of, fingerprint: name } },
      platformIds,
    };
  }
  const begun = { modelId: 'm', colorway: { before: 'x', batchId: 'b' } };

  it('are one asset under the key of the colorway, without what is of one view alone', () => {
    const { shared } = shareByViews([
      view('front', { modelId: 'm', projectId: 'p', jobId: 'j' }),
      view('hero', begun),
    ]);
    expect(shared.map(({ key, platformIds }) => [key, platformIds])).toEqual([['a@Oak', begun]]);
    expect(shared[0]?.source).toMatchObject({ colorway: { name: 'Oak' } });
    expect(shared[0]?.source.view).toBeUndefined();
  });

  it('get the variant that one of them has already', () => {
    const chosen = { modelId: 'm', variants: ['v'], variantName: 'Oak' };
    const { spread } = shareByViews([view('front', chosen), view('hero', { modelId: 'm' })]);
    expect(spread([{ key: 'a@Oak', outcome: 'done' }])).toEqual([
      { key: 'a@Oak@front', outcome: 'done' },
      { key: 'a@Oak@hero', outcome: 'done', platformIds: { variants: ['v'], variantName: 'Oak' } },
    ]);
  });

  it('are views of one model before its colorways', () => {
    const { shared } = shareByModel([view('front'), view('hero'), cell('b', 'Oak')]);
    expect(shared.map(({ key }) => key)).toEqual(['a', 'b']);
  });
});
