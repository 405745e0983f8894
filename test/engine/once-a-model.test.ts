// What is done for a model is done for all of its colorways.
import { expect, it } from 'vitest';
import { onceAModel } from '../../src/engine/colorways/once-a-model.ts';
import type { AssetResult, Refs, StepAsset } from '../../src/plan/types.ts';
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
  const { models } = onceAModel([cell('a', 'Oak'), cell('a', 'Ash', known), cell('b', 'Oak')]);
  expect(models.map(({ key, refs, source }) => [key, refs, source.colorway])).toEqual([
    ['a', { modelId: 'm', madeAtMs: 7 }, undefined],
    ['b', {}, undefined],
  ]);
});

it('one that was begun is gone on with', () => {
  const { models } = onceAModel([cell('a', 'Oak'), cell('a', 'Ash', { begun: true })]);
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
