// The settings of the pipeline's newest run. A plan is compared with them.
import { describe, expect, it } from 'vitest';
import { compareWithLastRun, type LastRun } from '../../src/store/runs/last-run.ts';
import { storesOver } from './_store.ts';

const counts = { total: 3, new: 1, changed: 1, unchanged: 1 };
const last: LastRun = {
  schema: 'renderline/last-run/v1',
  run: 'shoes-1',
  recipe: 'a',
  startedAt: '2026-03-01T00:00:00.000Z',
  parameters: { folder: 'in', quality: 1, gone: true },
  counts,
};

describe('the last run', () => {
  it('the last run is the one that was stored last, or null if none was stored', async () => {
    const stores = storesOver();
    expect(await stores('a').lastRun()).toBeNull();
    await stores('a').writeLastRun({ parameters: { folder: 'in' }, counts });
    await stores('b').writeLastRun({ parameters: { folder: 'out' }, counts });
    expect(await stores('c').lastRun()).toMatchObject({
      run: 'b',
      parameters: { folder: 'out' },
      counts,
    });
  });
});

describe('the difference between a plan and the last run', () => {
  it.each([
    ['is empty', last, { recipeChanged: false, parameters: {} }],
    ['is the recipe', { ...last, recipe: 'b' }, { recipeChanged: true, parameters: {} }],
    [
      'consists of the changed, removed and added parameters',
      { ...last, parameters: { folder: 'out', quality: 1, added: 'x' } },
      {
        recipeChanged: false,
        parameters: {
          added: { was: null, is: 'x' },
          folder: { was: 'in', is: 'out' },
          gone: { was: true, is: null },
        },
      },
    ],
  ])('the difference %s', (_what, next, expected) => {
    expect(compareWithLastRun(last, next)).toEqual({
      run: 'shoes-1',
      startedAt: '2026-03-01T00:00:00.000Z',
      ...expected,
    });
  });
});
