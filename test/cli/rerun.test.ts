import { describe, expect, test } from 'vitest';
import { computeRerunWork, type Reuse } from '../../src/app/rerun/rerun-work.ts';
import { formatPreview } from '../../src/cli/rerun/format.ts';
import { createUnfinishedFilter } from '../../src/engine/discovery/unfinished-filter.ts';
import { assetFailures } from '../../src/failures/assets.ts';
import { quoteForShell } from '../../src/plan/helpers/quote-for-shell.ts';
import type { PlatformIds } from '../../src/plan/platform-ids.ts';
import { formatRerunSelection } from '../../src/plan/run/rerun.ts';
import {
  failureConditionOf,
  rerunCommand,
  rerunFailuresCommand,
} from '../../src/plan/run/rerun-command.ts';
import { type ReusableStages, workStages } from '../../src/plan/stages.ts';
import { sourceFailure } from '../../src/store/discovery/asset-keys.ts';
import type { UnfinishedAsset } from '../../src/store/discovery/unfinished-assets.ts';
import { manifestAsset, sourceOf } from '../store/_store.ts';
import { run as runCli } from './_run-cli.ts';

const plain = (_format: unknown, text: string) => text;
const again = { of: 'catalog-1', failed: true, where: null, plan: 'pinned' } as const;

function undone(key: string, more: Partial<UnfinishedAsset> = {}): UnfinishedAsset {
  const failure = { key, node: 'shots', code: 'RENDER_FAILED', message: 'm', attempts: 1 };
  return { key, asset: manifestAsset(key), outcome: 'failed', failure, platformIds: {}, ...more };
}

describe('the command that reruns a group', () => {
  test.each([
    [
      { code: 'RENDER_FAILED', node: 'shots' },
      `--where 'code == "RENDER_FAILED" && node == "shots"'`,
    ],
    [{ code: 'SHARD_FAILED', node: '' }, `--where 'code == "SHARD_FAILED"'`],
  ])('the group %o is rerun by: %s', (group, words) => {
    expect(rerunCommand('catalog-1', { failed: true, where: failureConditionOf(group) })).toBe(
      `renderline rerun catalog-1 --failed ${words}`,
    );
  });

  test('the command of a group selects its own failures and no others', () => {
    const fits = createUnfinishedFilter(
      failureConditionOf({ code: 'RENDER_FAILED', node: 'shots' }),
    );
    const other = { key: 'b', node: 'film', code: 'RENDER_FAILED', message: 'm', attempts: 1 };
    expect([fits(undone('a')), fits(undone('b', { failure: other }))]).toEqual([true, false]);
  });

  test('the command works unchanged, even for runs of schedules and events, whose file is unknown', () => {
    expect(rerunFailuresCommand('catalog-1', '/shop/catalog.yaml', 'code == "A"')).toBe(
      `renderline rerun catalog-1 --failed --where 'code == "A"'`,
    );
    expect(rerunFailuresCommand('nightly-1', undefined, 'code == "A"')).toBe(
      `renderline rerun nightly-1 --failed --where 'code == "A"' --with pinned`,
    );
    expect(rerunFailuresCommand('nightly-1', undefined)).toBe(
      'renderline rerun nightly-1 --failed --with pinned',
    );
  });

  test('the command accepts all options of rerun', () => {
    const words = {
      file: 'my file.yaml',
      failed: true,
      where: 'key == "a"',
      parameters: { folder: 'my models' },
      with: 'latest',
    } as const;
    expect(rerunCommand('catalog-1', words)).toBe(
      `renderline rerun catalog-1 'my file.yaml' --failed --where 'key == "a"' --param 'folder=my models' --with latest`,
    );
    expect(rerunCommand('catalog-1', { where: null })).toBe('renderline rerun catalog-1');
  });

  test.each([
    ['plain/word-1.yaml', 'plain/word-1.yaml'],
    ['two words', `'two words'`],
    [`it's`, `'it'\\''s'`],
    ['', `''`],
  ])('%s is quoted for the shell as %s', (word, quoted) => {
    expect(quoteForShell(word)).toBe(quoted);
  });
});

describe('a preview', () => {
  const platformIds: PlatformIds = { modelId: 'm', projectId: 'p', jobId: 'j' };
  const left = [
    undone('a', { platformIds }),
    undone('b', { platformIds: { ...platformIds, failedJob: true } }),
    undone('c', { platformIds }),
    undone('d', { outcome: 'cancelled', failure: null, platformIds: { modelId: 'm' } }),
    undone('e', { outcome: 'unfinished', failure: null }),
  ];
  const found = {
    // The source of c has changed since the run.
    assets: ['a', 'b', 'd', 'e']
      .map((key) => manifestAsset(key))
      .concat(manifestAsset('c', { source: sourceOf('c', '9-9') })),
    counts: { total: 7, new: 5, changed: 0, unchanged: 1 },
    later: ['f.glb'],
    refused: [sourceFailure(assetFailures.SOURCE_GONE, 'g.glb', 'take', 'it is gone')],
  };

  test('a preview shows what is rerun, and what is reused', () => {
    const text = formatPreview(
      { rerun: again, cost: { requests: 26, maxRequests: 40, renders: 3, max: true, seconds: 15 } },
      computeRerunWork(left, found, () => workStages),
      plain,
    );
    expect(text.split('\n')).toEqual([
      'Reruns failed assets of catalog-1, with the plan of that run',
      '  RENDER_FAILED at shots: 3 assets (a, b, c)',
      '  cancelled: 1 asset (d)',
      '  not started: 1 asset (e)',
      'takes     5 assets, 1 of them from the first step (source changed), 1 delivered since, 1 with files that are still being written, 1 refused',
      'reuses    3 models, 2 projects, 1 render (checked first)',
      'costs     about 26 to 40 requests, at most 3 render jobs, 15 s',
      'refused   SOURCE_GONE: g.glb: it is gone',
    ]);
  });

  test.each<[ReusableStages, Partial<Reuse>]>([
    [[], { projects: 0, renders: 0 }],
    [['source'], { projects: 0, renders: 0 }],
    [['source', 'composition'], { projects: 2, renders: 0 }],
    [['source', 'composition', 'render'], { projects: 2, renders: 1 }],
  ])('a recipe that shares the stages %j reuses %o and the uploads', (stages, reused) => {
    const { reuse } = computeRerunWork(left, found, () => stages);
    expect(reuse).toEqual({ models: 3, items: 0, ...reused });
  });

  test.each([
    [again, 'failed assets of catalog-1, with the plan of that run'],
    [
      { ...again, failed: false, where: 'key == "a"', plan: 'latest' as const },
      'undelivered assets of catalog-1, where key == "a", with the current file',
    ],
  ])('the selection %o is described as: %s', (one, words) => {
    expect(formatRerunSelection(one)).toBe(words);
  });
});

describe('an error before any request', () => {
  test.each([
    [['rerun', 'r', '--with', 'newest'], 'USAGE'],
    [['rerun', 'r', '--where', 'coed == ""'], 'WHERE'],
    [['rerun', 'r', '--param', 'x'], 'BAD_PAIR'],
    [['rerun'], 'USAGE'],
  ])('%j ends with %s before any request', async (words, code) => {
    const ran = await runCli([...words, '--json'], {});
    expect([ran.code, ran.json()]).toMatchObject([2, { code }]);
  });
});
