// Tests log lines of single assets: which assets are logged, at which level, and by key or by hash.
import { execFileSync } from 'node:child_process';
import { afterEach, expect, test } from 'vitest';
import { readAssetNaming } from '../../src/app/worker/serve-worker.ts';
import { assetOutcomeEvents } from '../../src/telemetry/events.ts';
import { hashKey, logAssets } from '../../src/telemetry/log-assets.ts';

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

function linesOf(
  ...options: Parameters<typeof logAssets> extends [unknown, infer O] ? [O] : never
) {
  const lines: [level: string, message: string, fields: object][] = [];
  const write = (level: string) => (fields: object, message: string) => {
    lines.push([level, message, fields]);
  };
  stops.push(logAssets({ info: write('info'), debug: write('debug') }, ...options));
  assetOutcomeEvents.emit({
    pipeline: 'shop',
    run: 'shop-1',
    shard: 2,
    step: { node: 'take', id: 'take', type: 'connector_poll', attempt: 1 },
    assets: [
      { key: 'a', outcome: 'done', durationMs: 12.4, modelId: 'm-1' },
      { key: 'b', outcome: 'failed', durationMs: 12.4, code: 'NOT_A_GLB' },
    ],
  });
  const ended = { key: 'b', outcome: 'failed', node: 'take', code: 'NOT_A_GLB' };
  assetOutcomeEvents.emit({ pipeline: 'shop', run: 'shop-1', shard: 2, assets: [ended] });
  return lines;
}

const common = { component: 'activity', run: 'shop-1', pipeline: 'shop', shard: 3 };
const step = { node: 'take', step: 'take', type: 'connector_poll', attempt: 1 };

test('each step of each asset is logged in one line, and its end in another', () => {
  const b = { key: 'b', keyHash: hashKey('b'), outcome: 'failed', code: 'NOT_A_GLB' };
  expect(linesOf({ level: 'info', naming: 'key' })).toEqual([
    [
      'info',
      'asset',
      {
        ...common,
        ...step,
        key: 'a',
        keyHash: hashKey('a'),
        outcome: 'done',
        modelId: 'm-1',
        ms: 12,
      },
    ],
    ['info', 'asset', { ...common, ...step, ...b, ms: 12 }],
    ['info', 'asset finished', { ...common, node: 'take', ...b }],
  ]);
});

test('with hashes, no key is logged, and a shell can compute the hash', () => {
  const lines = linesOf({ level: 'debug', naming: 'hash' });
  expect(lines.map(([level]) => level)).toEqual(['debug', 'debug', 'debug']);
  for (const [, , fields] of lines) expect(fields).not.toHaveProperty('key');
  const shell = execFileSync('sh', ['-c', "printf %s 'shoes/ünner' | sha256sum"], {
    encoding: 'utf8',
  });
  expect(hashKey('shoes/ünner')).toBe(shell.slice(0, 12));
});

test.each([
  [undefined, {}, undefined],
  [true, {}, 'key'],
  ['hash', { RENDERLINE_LOG_ASSETS: '1' }, 'hash'],
  [undefined, { RENDERLINE_LOG_ASSETS: '1' }, 'key'],
  [undefined, { RENDERLINE_LOG_ASSETS: 'hash' }, 'hash'],
  [undefined, { RENDERLINE_LOG_ASSETS: '0' }, undefined],
] as const)('the option --log-assets %j with %o results in %j', (flag, env, naming) => {
  expect(readAssetNaming(flag, env)).toBe(naming);
});

test('an invalid value is refused with its source', () => {
  expect(() => readAssetNaming('names', {})).toThrow('--log-assets "names" is not allowed');
  expect(() => readAssetNaming(undefined, { RENDERLINE_LOG_ASSETS: 'x' })).toThrow(
    'RENDERLINE_LOG_ASSETS',
  );
});
