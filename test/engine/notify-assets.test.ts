// Notices to a receiver about assets: one notice for many, one id for all attempts, and the results.
import { describe, expect, it } from 'vitest';
import type { NodeContext } from '../../src/engine/node-context.ts';
import { notifyAssets } from '../../src/features/notices/notify.ts';
import { NoticeError } from '../../src/features/notices/send-notice.ts';
import type { PlatformIds } from '../../src/plan/platform-ids.ts';
import type { AssetResult, StepAsset } from '../../src/plan/types.ts';
import { readOperatorRules } from '../../src/settings/operator-rules.ts';
import { asset } from '../plan/_steps.ts';
import { nodeContext, runContext } from './_context.ts';
import { useReceiver } from './_receiver.ts';

const receiver = useReceiver();
const startedMs = Date.UTC(2026, 0, 2, 3, 4, 5);
const hourMs = 3_600_000;
const secret = 'canary-4711-shared-words';

interface Try {
  assets?: StepAsset[];
  attempt?: number;
  afterMs?: number;
  more?: Partial<NodeContext>;
}

const red = asset('shoes/red', { modelId: 'm-1', projectId: 'p-1', jobId: 'j-1' });
const blue = asset('shoes/blue', { modelId: 'm-2' });

function notify({ assets = [red, blue], attempt = 1, afterMs = 0, more = {} }: Try = {}) {
  const context = nodeContext({
    step: { id: 'tell', node: 'tell', batch: 100, retry: null },
    attempt: { number: attempt, firstAtMs: startedMs, retryUntilAtMs: startedMs + hourMs },
    operatorRules: readOperatorRules({ RENDERLINE_SECRET_HOOK: secret }, 'any'),
    now: () => startedMs + afterMs,
    ...more,
  });
  return notifyAssets({ url: receiver.url, secretFrom: 'RENDERLINE_SECRET_HOOK' }, assets, context);
}

const ids = () => receiver.got.map(({ headers }) => headers['webhook-id']);
const told = (index = 0) => JSON.parse(receiver.got[index]?.body ?? '{}') as unknown;
const refsOf = (results: AssetResult[], key: string): PlatformIds => {
  const result = results.find((one) => one.key === key);
  return (result && 'platformIds' in result ? result.platformIds : undefined) ?? {};
};

describe('a notice', () => {
  it('a notice reports all assets together, each with everything that is known about it', async () => {
    const file = { path: 'red.png', bytes: 9, sha256: 'ab', width: 64, height: 36 };
    const output = {
      id: 'o-1',
      name: 'Front',
      fileType: 'PNG',
      url: 'https://cdn.example.com/1.png',
      isVideo: false,
      isPreview: false,
    };
    const finished: StepAsset = {
      ...red,
      platformIds: {
        ...red.platformIds,
        templateId: 't-1',
        variants: ['v-1'],
        variantName: 'Oak',
        outputs: [output],
        sheet: { fileId: 'f-1', name: 'PF-00012-v3', exportId: 'e-1' },
      },
      earlierResults: {
        files: [{ key: red.key, ...file, output: 'o', delivery: 'd' }],
        filesTotal: 1,
        warnings: ['a texture did not come along'],
      },
    };
    await notify({ assets: [finished, blue] });
    expect(receiver.got).toHaveLength(1);
    expect(told()).toEqual({
      type: 'assets.reached',
      timestamp: '2026-01-02T03:04:05.000Z',
      data: {
        schema: 'renderline/asset-notice/v1',
        run: 'run-1',
        pipeline: 'test',
        node: 'tell',
        assets: [
          {
            key: 'shoes/red',
            source: 'shoes/red.glb',
            modelId: 'm-1',
            templateId: 't-1',
            projectId: 'p-1',
            jobId: 'j-1',
            variantIds: ['v-1'],
            variantName: 'Oak',
            productionFile: { id: 'f-1', name: 'PF-00012-v3' },
            outputs: [output],
            outputsTotal: 1,
            files: [{ ...file, output: 'o', delivery: 'd' }],
            filesTotal: 1,
            warnings: ['a texture did not come along'],
          },
          {
            key: 'shoes/blue',
            source: 'shoes/blue.glb',
            modelId: 'm-2',
            outputs: [],
            outputsTotal: 0,
            files: [],
            filesTotal: 0,
            warnings: [],
          },
        ],
      },
    });
  });

  it('a notice lists only some outputs if there are very many, but counts all of them', async () => {
    const outputs = Array.from({ length: 300 }, (_, index) => ({
      id: `o-${index}`,
      name: '',
      fileType: 'PNG',
      isVideo: false,
      isPreview: false,
    }));
    await notify({ assets: [asset('many', { outputs })] });
    expect(told()).toMatchObject({ data: { assets: [{ outputsTotal: 300 }] } });
    expect(receiver.got[0]?.body.length).toBeLessThan(5_000);
  });

  it("each asset in a notice is recorded with the notice's id, status, attempts and time", async () => {
    const results = await notify({ attempt: 3, afterMs: 20_000 });
    expect(results.map(({ outcome }) => outcome)).toEqual(['done', 'done']);
    for (const key of ['shoes/red', 'shoes/blue']) {
      expect(refsOf(results, key)).toEqual({
        notices: {
          tell: {
            id: ids()[0],
            status: 200,
            attempts: 3,
            at: '2026-01-02T03:04:25.000Z',
            about: expect.stringMatching(/^[0-9a-f]{16}$/),
          },
        },
      });
    }
  });
});

describe('the id of a notice', () => {
  it('the id and the body are the same in every attempt, even in one that runs twice', async () => {
    receiver.responses = [503, 503, 200, 200];
    await expect(notify()).rejects.toBeInstanceOf(NoticeError);
    await expect(notify({ attempt: 2, afterMs: 5_000 })).rejects.toBeInstanceOf(NoticeError);
    await notify({ attempt: 3, afterMs: 15_000 });
    await notify({ attempt: 3, afterMs: 15_000, assets: [blue, red] });
    expect(new Set(ids()).size).toBe(1);
    const [first, ...others] = receiver.got.slice(0, 3).map(({ body }) => body);
    expect(others).toEqual([first, first]);
    const times = receiver.got.map(({ headers }) => Number(headers['webhook-timestamp']));
    expect(times.map((time) => time - startedMs / 1_000)).toEqual([0, 5, 15, 15]);
  });

  it.each<[string, Try]>([
    ['other assets', { assets: [red] }],
    [
      'another render',
      { assets: [asset('shoes/red', { ...red.platformIds, jobId: 'j-2' }), blue] },
    ],
    ['another node', { more: { step: { id: 'b', node: 'b', batch: 100, retry: null } } }],
    ['another lineage', { more: { run: runContext({ lineage: 'other' }) } }],
  ])('the id differs for %s', async (_name, other) => {
    await notify();
    await notify(other);
    expect(new Set(ids()).size).toBe(2);
  });
});

describe('reporting an asset', () => {
  const after = async (status: number, about: StepAsset = red): Promise<StepAsset> => {
    receiver.responses = [status];
    const results = await notify({ assets: [about], afterMs: hourMs });
    return { ...about, platformIds: { ...about.platformIds, ...refsOf(results, about.key) } };
  };

  it('an asset that was reported is not reported again', async () => {
    const known = await after(200);
    const results = await notify({ assets: [known, blue] });
    expect(results.map(({ key, outcome }) => [key, outcome])).toEqual([
      ['shoes/red', 'done'],
      ['shoes/blue', 'done'],
    ]);
    expect(told(1)).toMatchObject({ data: { assets: [{ key: 'shoes/blue' }] } });
    expect(await notify({ assets: [known] })).toMatchObject([{ outcome: 'done' }]);
    expect(receiver.got).toHaveLength(2);
  });

  it.each<[string, (known: StepAsset) => StepAsset]>([
    [
      'was rendered again',
      (known) => ({ ...known, platformIds: { ...known.platformIds, jobId: 'j-9' } }),
    ],
    ['has changed', (known) => ({ ...known, source: { ...known.source, version: 'v2' } })],
  ])('an asset that was reported is reported again if it %s', async (_name, change) => {
    await notify({ assets: [change(await after(200))] });
    expect(receiver.got).toHaveLength(2);
  });

  it('an asset whose notice was refused is reported again by the next run', async () => {
    await notify({ assets: [await after(410)] });
    expect(receiver.got).toHaveLength(2);
  });
});

describe('the receiver of notices', () => {
  it('if the receiver fails, the notice is left to the next attempt if there is time for one', async () => {
    receiver.responses = [500, 500];
    await expect(notify({ attempt: 9, afterMs: hourMs - 900_000 })).rejects.toMatchObject({
      isPermanent: false,
    });
    const last = await notify({ attempt: 9, afterMs: hourMs - 899_999 });
    expect(last).toMatchObject([
      {
        key: 'shoes/red',
        outcome: 'failed',
        code: 'NOTICE_REFUSED',
        message: expect.stringMatching(/responded with status 500$/),
        attempts: 9,
        platformIds: { notices: { tell: { status: 500, attempts: 9 } } },
      },
      { key: 'shoes/blue', outcome: 'failed' },
    ]);
  });

  it.each([302, 400, 410])(
    'if the receiver responds with %i, the assets fail immediately',
    async (status) => {
      receiver.responses = [status];
      expect(await notify()).toMatchObject([
        { outcome: 'failed', platformIds: { notices: { tell: { status, attempts: 1 } } } },
        { outcome: 'failed' },
      ]);
      expect(receiver.got).toHaveLength(1);
    },
  );

  it('the secret appears neither in the request to the receiver nor in a result', async () => {
    receiver.responses = [400];
    const results = await notify();
    expect(JSON.stringify([results, receiver.got])).not.toContain(secret);
  });
});
