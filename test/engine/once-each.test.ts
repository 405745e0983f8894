// What is done for a model is done for all of its colorways, and what is done for a colorway for all of its views.
import { describe, expect, it } from 'vitest';
import { onceAModel, onceForAllViews } from '../../src/capabilities/variants/grid/once-each.ts';
import type { Refs } from '../../src/plan/refs.ts';
import type { AssetResult, StepAsset } from '../../src/plan/types.ts';
import { asset } from '../plan/_steps.ts';

function cell(model: string, name: string, refs: Refs = {}, enteredAtMs?: number): StepAsset {
  const { source } = asset(model);
  const times = enteredAtMs === undefined ? {} : { enteredAtMs };
  return {
    key: `${model}@${name}`,
    source: { ...source, colorway: { name, model, rules: [] } },
    refs,
    ...times,
  };
}

it('a node sees each model once, under its own key, as the colorway that knows most of it', () => {
  const known = { modelId: 'm', madeAtMs: 7, jobId: 'of another colorway', projectId: 'p' };
  const { shared: models } = onceAModel([
    cell('a', 'Oak'),
    cell('a', 'Ash', known),
    cell('b', 'Oak'),
  ]);
  expect(models.map(({ key, refs, source }) => [key, refs, source.colorway])).toEqual([
    ['a', { modelId: 'm', madeAtMs: 7 }, undefined],
    ['b', {}, undefined],
  ]);
});

it('one that was begun is gone on with', () => {
  const { shared: models } = onceAModel([cell('a', 'Oak'), cell('a', 'Ash', { begun: true })]);
  expect(models[0]?.refs).toEqual({ begun: true });
});

const outcomes: [what: string, result: AssetResult, spread: Partial<AssetResult>][] = [
  [
    'what was made',
    { key: 'a', outcome: 'done', refs: { modelId: 'm' } },
    { outcome: 'done', refs: { modelId: 'm' } },
  ],
  ['what was passed over', { key: 'a', outcome: 'pruned' }, { outcome: 'pruned' }],
  [
    'a failure, with what must not be built on',
    { key: 'a', outcome: 'failed', code: 'BROKEN', message: 'no', forget: ['modelId'] },
    { outcome: 'failed', code: 'BROKEN', forget: ['modelId'] },
  ],
];
it.each(outcomes)('%s is that of all colorways', (_what, result, expected) => {
  const { spread } = onceAModel([cell('a', 'Oak'), cell('b', 'Oak'), cell('a', 'Ash')]);
  expect(spread([result])).toMatchObject([
    { key: 'a@Oak', ...expected },
    { key: 'a@Ash', ...expected },
  ]);
});

it('a colorway that joins later gets the model of the others', () => {
  const { spread } = onceAModel([cell('a', 'Oak', { modelId: 'm', jobId: 'j' }), cell('a', 'New')]);
  expect(spread([{ key: 'a', outcome: 'done' }])).toEqual([
    { key: 'a@Oak', outcome: 'done' },
    { key: 'a@New', outcome: 'done', refs: { modelId: 'm' } },
  ]);
});

describe('views of a colorway', () => {
  function view(name: string, refs: Refs = {}): StepAsset {
    const viewed = cell('a', 'Oak');
    const { key: of } = viewed;
    return {
      key: `${of}@${name}`,
      source: { ...viewed.source, view: { name, of, mark: name } },
      refs,
    };
  }
  const begun = { modelId: 'm', colorway: { before: 'x', batchId: 'b' } };

  it('are one asset under the key of the colorway, without what is of one view alone', () => {
    const { shared } = onceForAllViews([
      view('front', { modelId: 'm', projectId: 'p', jobId: 'j' }),
      view('hero', begun),
    ]);
    expect(shared.map(({ key, refs }) => [key, refs])).toEqual([['a@Oak', begun]]);
    expect(shared[0]?.source).toMatchObject({ colorway: { name: 'Oak' } });
    expect(shared[0]?.source.view).toBeUndefined();
  });

  it('get the variant that one of them has already', () => {
    const chosen = { modelId: 'm', variants: ['v'], variantName: 'Oak' };
    const { spread } = onceForAllViews([view('front', chosen), view('hero', { modelId: 'm' })]);
    expect(spread([{ key: 'a@Oak', outcome: 'done' }])).toEqual([
      { key: 'a@Oak@front', outcome: 'done' },
      { key: 'a@Oak@hero', outcome: 'done', refs: { variants: ['v'], variantName: 'Oak' } },
    ]);
  });

  it('are views of one model before its colorways', () => {
    const { shared } = onceAModel([view('front'), view('hero'), cell('b', 'Oak')]);
    expect(shared.map(({ key }) => key)).toEqual(['a', 'b']);
  });
});
