// The bill of a run. It contains each render, model and capture once, and only on the bill of the run that started it.
import { describe, expect, it } from 'vitest';
import { hasNoRender, PaidWorkCounter, readPaidWork } from '../../src/features/paid-work.ts';
import type { FinalizedAsset } from '../../src/plan/contract/contract.ts';
import type { PlatformIds } from '../../src/plan/platform-ids.ts';
import {
  createPaidCounts,
  formatPaid,
  type PaidWork,
  sumPaid,
} from '../../src/plan/run/paid-work.ts';
import type { Intent, NewIntent } from '../../src/store/calls/intents.ts';
import { assetOf, manifestAsset, settledAs, storesOver, withManifest } from '../store/_store.ts';

const ambiguousSince = '2026-03-01T10:00:00.000Z';

function call(operation: string, more: Partial<Intent> = {}): Intent {
  const assets = more.assets ?? Object.keys(more.result ?? {});
  return {
    schema: 'renderline/intent/v1',
    operation,
    key: 'k',
    bodyText: '{}',
    createdAt: '2026-03-01T10:00:00.000Z',
    state: 'done',
    ...more,
    assets,
  };
}

const renders = (answer: Record<string, PlatformIds>, more: Partial<Intent> = {}) =>
  call('createRenders', { result: answer, ...more });
const retry = (jobId: string, key = 'a') =>
  call('retryRenderJob', { params: { jobId }, result: { [key]: { jobId } } });

function bill(
  more: Partial<Omit<PaidWork, 'possibleDuplicates'>> & {
    possibleDuplicates?: Partial<PaidWork['possibleDuplicates']>;
  } = {},
) {
  const { possibleDuplicates, ...counts } = more;
  return {
    ...sumPaid([]),
    ...counts,
    possibleDuplicates: { ...createPaidCounts(), ...possibleDuplicates },
  };
}

function countPaidWork(calls: Intent[], settled: FinalizedAsset[] = [], isOver = true): PaidWork {
  const unrendered = settled.filter(hasNoRender).map(({ key }) => key);
  const counter = new PaidWorkCounter('ours', new Set(unrendered), isOver);
  counter.add(calls);
  return counter.total();
}

const two = { a: { jobId: 'j1' }, b: { jobId: 'j2' } };
const sheets = (sheet: NonNullable<PlatformIds['sheet']>, more: Partial<Intent> = {}) =>
  call('exportProductionFile', {
    bodyText: '{"variantIds":["v1","v2","v3"]}',
    result: { a: { sheet } },
    ...more,
  });

describe('the bill of a finished run', () => {
  it.each<[string, Intent[], PaidWork]>([
    ['no calls', [], bill()],
    [
      'a job of two models',
      [call('createJob', { result: { a: { modelId: 'm' }, b: { modelId: 'n' } } })],
      bill({ models: 2 }),
    ],
    [
      'a file that the job omitted',
      [
        call('createJob', { assets: ['a', 'b'], result: { a: { modelId: 'm' } } }),
        call('createModels', { result: { b: { modelId: 'n' } } }),
      ],
      bill({ models: 2 }),
    ],
    [
      'colorways of one model',
      [call('createJob', { result: { 'a@Red': { modelId: 'm' }, 'a@Blue': { modelId: 'm' } } })],
      bill({ models: 1 }),
    ],
    ['two renders', [renders(two)], bill({ renders: 2 })],
    [
      'two renders of which the platform started only one',
      [renders({ a: { jobId: 'j1' } }, { assets: ['a', 'b'] })],
      bill({ renders: 1 }),
    ],
    [
      'a render that was retried',
      [renders(two), retry('j1')],
      bill({ renders: 3, failedRenders: 1 }),
    ],
    [
      'a render that was retried twice',
      [renders(two), retry('j1'), retry('j1')],
      bill({ renders: 4, failedRenders: 2 }),
    ],
    ['a retry of a render that failed in an earlier run', [retry('j0')], bill({ renders: 1 })],
    ['a refused call', [renders({}, { state: 'refused', assets: ['a'] })], bill()],
    [
      'an abandoned call',
      [call('createJob', { state: 'abandoned', result: { a: { modelId: 'm' } } })],
      bill(),
    ],
    ['a call that another run completed', [renders(two, { closedBy: 'other' })], bill()],
    [
      "another run's call that this run completed",
      [renders(two, { isInherited: true, closedBy: 'ours' })],
      bill({ renders: 2 }),
    ],
    [
      'a call without a response',
      [renders({}, { state: 'open', assets: ['a', 'b'] })],
      bill({ possibleDuplicates: { renders: 2 } }),
    ],
    [
      'a call sent again without proof that the first one had failed',
      [
        renders(
          { a: { jobId: 'j1', possibleDuplicate: 'twice' }, b: { jobId: 'j2' } },
          { ambiguousSince },
        ),
      ],
      bill({ renders: 2, possibleDuplicates: { renders: 1 } }),
    ],
    [
      'an ambiguous call whose work was found later',
      [
        renders({}, { state: 'refused', assets: ['a'], ambiguousSince }),
        renders({ a: { jobId: 'j1' } }, { key: 'l', ambiguousSince }),
      ],
      bill({ renders: 1 }),
    ],
    [
      'an ambiguous call whose work was not found',
      [renders({}, { state: 'refused', assets: ['a'], ambiguousSince })],
      bill({ possibleDuplicates: { renders: 1 } }),
    ],
    ['a production file without new views', [sheets({ fileId: 'f' })], bill()],
    [
      'views that the platform captures',
      [sheets({ exportId: 'e', captures: 2 })],
      bill({ captures: 2 }),
    ],
    ['views without a capture count', [sheets({ exportId: 'e' })], bill({ captures: 3 })],
    [
      'a production file found after an ambiguous call',
      [sheets({ fileId: 'f' }, { ambiguousSince })],
      bill({ possibleDuplicates: { captures: 3 } }),
    ],
    [
      'projects and confirmations',
      [
        call('createProjects', { result: { a: { projectId: 'p' } } }),
        call('confirmJobUploads', { result: { a: {} } }),
      ],
      bill(),
    ],
  ])('the bill contains the paid work of %s', (_what, calls, expected) => {
    expect(countPaidWork(calls)).toEqual(expected);
  });

  it.each<[string, FinalizedAsset[], number]>([
    ['failed', [settledAs('failed', assetOf('a'), { failure: failureOf('RENDER_FAILED') })], 1],
    [
      'was cancelled on the platform',
      [settledAs('failed', assetOf('a'), { failure: failureOf('RENDER_CANCELLED') })],
      1,
    ],
    ['was cancelled with the run', [settledAs('cancelled', assetOf('a'))], 1],
    [
      'could not be cancelled',
      [settledAs('cancelled', assetOf('a'), { renderContinues: true })],
      0,
    ],
    [
      'was already complete when the run was cancelled',
      [settledAs('cancelled', assetOf('a', { outputs: [] }))],
      0,
    ],
    [
      'was not delivered',
      [settledAs('failed', assetOf('a'), { failure: failureOf('DOWNLOAD_FAILED') })],
      0,
    ],
    [
      'was never started',
      [settledAs('failed', assetOf('z'), { failure: failureOf('RENDER_FAILED') })],
      0,
    ],
  ])(
    'the bill decides whether a render counts as failed if it %s',
    (_what, settled, failedRenders) => {
      expect(countPaidWork([renders(two)], settled)).toEqual(bill({ renders: 2, failedRenders }));
    },
  );
});

it('open calls of a run in progress do not count as possible duplicates', () => {
  const open = renders({}, { state: 'open', assets: ['a'] });
  expect(countPaidWork([open], [], false)).toEqual(bill());
});

describe('the bill computed from records', () => {
  const intent = (key: string, operation = 'createRenders'): NewIntent => ({
    operation,
    key,
    bodyText: '{}',
    assets: ['one'],
    createdAt: ambiguousSince,
  });

  it('each render is on only one bill if another run takes over the assets', async () => {
    const stores = storesOver();
    const old = await withManifest(stores('old'), [manifestAsset('one')]);
    await old.intents(0, 'up').open(intent('m', 'createJob'));
    await old.intents(0, 'up').finish('m', { one: { modelId: 'm' } });
    await old.intents(0, 'shots').open(intent('j'));
    expect(await readPaidWork(old, new Set(), true)).toEqual(
      bill({ models: 1, possibleDuplicates: { renders: 1 } }),
    );
    const heir = await withManifest(stores('heir'), [manifestAsset('one')]);
    await heir.writeOrigins(0, [{ run: 'old', shard: 0 }]);
    expect(await readPaidWork(heir, new Set(), true)).toEqual(bill());
    await heir.intents(0, 'shots').finish('j', { one: { jobId: 'j' } });
    expect(await readPaidWork(heir, new Set(), true)).toEqual(bill({ renders: 1 }));
    expect(await readPaidWork(old, new Set(), true)).toEqual(bill({ models: 1 }));
  });

  it('the bill is unknown if the records cannot be read', async () => {
    expect(await readPaidWork(storesOver()('none'), new Set(), true)).toBeNull();
  });
});

it.each<[PaidWork | null, string]>([
  [bill(), 'nothing'],
  [bill({ renders: 8, models: 1 }), '8 renders, 1 model'],
  [bill({ captures: 2, possibleDuplicates: { renders: 1 } }), '2 captures, possibly 1 more render'],
  [
    bill({ renders: 2, failedRenders: 2 }),
    '2 renders; 2 renders failed or were cancelled, and the platform does not say whether they are billed',
  ],
  [null, 'unknown: this machine cannot read the records of the run'],
])('the bill %j is shown as "%s"', (paid, words) => {
  expect(formatPaid(paid)).toBe(words);
});

function failureOf(code: string) {
  return { key: 'a', node: 'shots', code, message: '', attempts: 1 };
}
