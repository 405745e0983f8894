import { describe, expect, test } from 'vitest';
import { formatFailures } from '../../src/cli/failures/format.ts';
import { assetFailures } from '../../src/failures/assets.ts';
import { explainFailure } from '../../src/features/failures.ts';
import { renderFailures } from '../../src/features/renders/failures.ts';

const plain = (_format: unknown, text: string) => text;
const run = 'catalog-20261121-090507-ab01';
const none: Parameters<typeof formatFailures>[0] = {
  schema: 'renderline/failures/v1',
  run,
  pipeline: 'catalog',
  state: 'completed',
  cause: null,
  total: 0,
  rerunCommand: null,
  groups: [],
};

describe('failures by cause', () => {
  test('failures contain their node, attempts, messages and first keys', () => {
    const keys = ['a', 'b', 'c', 'd', 'e', 'f'];
    const render = { code: 'RENDER_FAILED', node: 'shots', message: 'no light', attempts: 3 };
    const broke = { code: 'SHARD_FAILED', node: '', message: 'its shard ended', attempts: 1 };
    const groups = [
      { ...explainFailure(render), count: 6, keys, rerunCommand: 'renderline rerun R --failed' },
      {
        ...explainFailure(broke),
        count: 1,
        keys: ['g'],
        rerunCommand: 'renderline rerun S --failed',
      },
    ];
    const rerunCommand = `renderline rerun ${run} --failed`;
    expect(formatFailures({ ...none, total: 7, rerunCommand, groups }, plain).split('\n')).toEqual([
      `${run}  7 assets failed`,
      '',
      'RENDER_FAILED at shots: 6 assets, up to 3 attempts each',
      '  no light',
      `  ${renderFailures.RENDER_FAILED.fix}`,
      '  a, b, c, d, e and 1 more',
      '  renderline rerun R --failed',
      '',
      'SHARD_FAILED: 1 asset',
      '  its shard ended',
      `  ${assetFailures.SHARD_FAILED.fix}`,
      '  g',
      '  renderline rerun S --failed',
      '',
      `Rerun all: renderline rerun ${run} --failed`,
    ]);
  });

  test('failures are reported as none, or none so far, with the cause that stopped the run', () => {
    expect(formatFailures(none, plain)).toBe(`${run}  no asset failed`);
    const cancelled = formatFailures({ ...none, state: 'cancelled' }, plain);
    expect(cancelled).toBe(`${run}  no asset failed, the run was cancelled`);
    const cause = {
      code: 'INVALID_API_KEY',
      message: 'no key',
      fix: 'set it',
      kind: 'auth',
    } as const;
    expect(formatFailures({ ...none, state: 'running', cause }, plain).split('\n')).toEqual([
      `${run}  no asset failed so far`,
      '',
      'INVALID_API_KEY: no key',
      'set it.',
    ]);
  });

  test('failures with an unknown code are printed as recorded', () => {
    const old = { code: 'OF_ANOTHER_VERSION', node: 'shots', message: 'it broke', attempts: 1 };
    const groups = [{ ...explainFailure(old), count: 1, keys: ['a'], rerunCommand: 'rerun R' }];
    expect(formatFailures({ ...none, total: 1, groups }, plain).split('\n')).toEqual([
      `${run}  1 asset failed`,
      '',
      'OF_ANOTHER_VERSION at shots: 1 asset',
      '  it broke',
      '  a',
      '  rerun R',
    ]);
  });
});
