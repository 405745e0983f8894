import { describe, expect, test } from 'vitest';
import { WhereError } from '../../src/engine/discovery/condition.ts';
import { createUnfinishedFilter } from '../../src/engine/discovery/unfinished-filter.ts';
import { ExpressionError } from '../../src/language/expressions.ts';
import type { UnfinishedAsset } from '../../src/store/discovery/unfinished-assets.ts';
import { manifestAsset } from '../store/_store.ts';

const failed: UnfinishedAsset = {
  key: 'shoes/shoe-7',
  asset: manifestAsset('shoes/shoe-7'),
  outcome: 'failed',
  failure: {
    key: 'shoes/shoe-7',
    node: 'shots',
    code: 'RENDER_FAILED',
    message: 'no light',
    attempts: 3,
  },
  platformIds: { modelId: 'm-7', projectId: 'p-7', jobId: 'j-7' },
};
const cancelled: UnfinishedAsset = {
  ...failed,
  outcome: 'cancelled',
  failure: null,
  platformIds: {},
};

describe('a filter for unfinished assets', () => {
  test.each([
    ['key == "shoes/shoe-7"', true, true],
    ['key.startsWith("bags/")', false, false],
    ['path.endsWith(".glb")', true, true],
    ['code == "RENDER_FAILED" && node == "shots"', true, false],
    ['attempts > 2', true, false],
    ['attempts == 3', true, false],
    ['message.contains("light")', true, false],
    ['outcome == "cancelled"', false, true],
    ['modelId in ["m-7", "m-8"]', true, false],
    ['projectId == "p-7" || jobId == "j-7"', true, false],
  ])('the filter evaluates %s', (source, ofFailed, ofCancelled) => {
    const fits = createUnfinishedFilter(source);
    expect([fits(failed), fits(cancelled)]).toEqual([ofFailed, ofCancelled]);
  });

  test.each([
    ['coed == "X"', /unknown variable: coed/i, 'Did you mean "code"?'],
    ['zzz == 1', /unknown variable/i, /^Use a comparison of one of key, path/],
    ['key', /results in a string, not in true or false/, /^Use a comparison of one of key/],
    ['key == ', /./, /^Use a comparison of one of key/],
    ['attempts == "3"', /no such overload/i, /^Use a comparison of one of key/],
    ['key.matches("(a+)+$")', /./, /./],
    ['x'.repeat(1001), /longer than 1000/, 'Shorten it.'],
  ])('the filter %s is refused', (source, why, fix) => {
    const refuse = () => createUnfinishedFilter(source);
    expect(refuse).toThrow(WhereError);
    expect(refuse).toThrow(why);
    try {
      refuse();
    } catch (error) {
      expect((error as WhereError).fix).toMatch(fix);
    }
  });

  test('the filter throws if its expression fails on an asset', () => {
    const fits = createUnfinishedFilter('key.split("/")[3] == "x"');
    expect(() => fits(failed)).toThrow(ExpressionError);
  });
});
