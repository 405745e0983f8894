// One attempt of a step: which assets are skipped, what the node receives, and what happens if nothing has changed.
import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { runStep } from '../../activities/shard/run-step.ts';
import { openShard } from '../../activities/shard/shards.ts';
import { createApiError } from '../../src/api/errors/errors.ts';
import type { StepNodeType } from '../../src/engine/node-type.ts';
import { jsonBytesOf } from '../../src/plan/helpers/bytes.ts';
import type { PlatformIds } from '../../src/plan/platform-ids.ts';
import type { StepInput, StepOutput } from '../../src/plan/shard/step-contract.ts';
import type { AssetResult, StepAsset } from '../../src/plan/types.ts';
import { done, failed, retry } from '../plan/_steps.ts';
import { ActivityFixture } from './_activity-fixture.ts';

let stage: ActivityFixture;
beforeEach(async () => {
  stage = await ActivityFixture.open(['svc_test_secret']);
});
afterEach(() => stage.close());

type Answer = (assets: StepAsset[]) => AssetResult[] | Promise<AssetResult[]>;

function node(mode: StepNodeType['mode'], answer: Answer): StepNodeType {
  return {
    type: 'template_match',
    summary: '',
    docs: '',
    route: () => '',
    example: '',
    config: z.strictObject({}),
    mode,
    needs: [],
    gives: [],
    profile: { batch: 50, startToClose: '1m', timeout: '1h' },
    recipe: [],
    run: async (_config, given) => answer(given),
  };
}

/** The input of a step for a shard with these assets. */
async function input(
  keys: string[],
  more: Partial<StepInput> & { when?: string } = {},
): Promise<StepInput> {
  const { when = null, ...rest } = more;
  await stage.shardOf(keys);
  return {
    context: stage.context,
    shard: 0,
    step: { id: 's', node: 's', when, config: {}, batch: 50, retry: null, timeoutMs: 3_600_000 },
    assets: keys.map((_, at) => at),
    pages: [],
    wait: null,
    ...rest,
  };
}

/** A wait whose assets entered it this many seconds ago. */
const since = (...ages: number[]): Pick<StepInput, 'wait'> => ({
  wait: { batchAssets: 50, enteredAtMs: ages.map((seconds) => stage.nowMs - seconds * 1_000) },
});

const attempt = async (
  type: StepNodeType,
  given: StepInput | Promise<StepInput>,
): Promise<StepOutput> => {
  const ready = await given;
  const run = () => runStep(type, ready, stage.deps, () => undefined);
  const info = { currentAttemptScheduledTimestampMs: stage.nowMs };
  return new MockActivityEnvironment(info).run(run) as Promise<StepOutput>;
};

describe('unknown options of a step', () => {
  it('unknown options pause the run without failing an asset', async () => {
    const type = { ...node('call', () => []), config: z.strictObject({ name: z.string() }) };
    const given = await input(['a']);
    const config = { name: 1, images: [], sheet: true };
    const failing = attempt(type, { ...given, step: { ...given.step, config } });
    await expect(failing).rejects.toMatchObject({
      nonRetryable: true,
      details: [
        {
          code: 'NODE_OPTIONS_UNKNOWN',
          kind: 'later',
          message:
            'this worker does not support these options of step type template_match: name: must be text; config: must not contain "images", "sheet"',
        },
      ],
    });
  });
});

describe('the requests of an attempt that fails', () => {
  const failingWith = (error: Error) =>
    attempt(
      node('call', () => {
        stage.deps.requestsOf(stage.context.run).add('createJob', 200);
        throw error;
      }),
      input(['a']),
    );
  const answer = (status: number, code: string) =>
    createApiError({ status, code, operation: 'createJob', detail: 'no' });
  const left = () => stage.deps.requestsOf(stage.context.run).total;

  it.each([
    ['the asset', answer(403, 'HTTP_403'), [{ requests: { createJob: 1 } }]],
    [
      'the run',
      answer(401, 'INVALID_API_KEY'),
      [expect.objectContaining({ code: 'INVALID_API_KEY' }), { requests: { createJob: 1 } }],
    ],
  ])(
    'an error that stops %s reports them, because no attempt follows',
    async (_, error, details) => {
      await expect(failingWith(error)).rejects.toMatchObject({ nonRetryable: true, details });
      expect(left()).toBe(0);
    },
  );

  it('an error that is retried mentions them, and leaves them to the next attempt', async () => {
    await expect(failingWith(answer(429, 'RATE_LIMITED'))).rejects.toMatchObject({
      nonRetryable: false,
      category: 'BENIGN',
      nextRetryDelay: expect.any(Number),
      details: [{ requests: { createJob: 1 } }],
    });
    expect(left()).toBe(1);
  });
});

describe('records that are gone', () => {
  it('a shard is not claimed in a new folder, although this worker has cached its assets', async () => {
    await stage.shardOf(['a']);
    const open = () =>
      new MockActivityEnvironment().run(() =>
        openShard({ context: stage.context, shard: 0 }, stage.deps),
      );
    await open();
    await stage.removeRecords();
    await expect(open()).rejects.toMatchObject({ details: [{ code: 'RECORDS_UNREADABLE' }] });
  });

  it('nothing is called, and the run pauses, although this worker has cached the assets', async () => {
    let calls = 0;
    const type = node('call', (assets) => {
      calls += 1;
      return assets.map(({ key }) => done(key));
    });
    const given = await input(['a']);
    await attempt(type, given);
    await stage.removeRecords();
    const cause = { code: 'RECORDS_UNREADABLE', kind: 'later' };
    await expect(attempt(type, given)).rejects.toMatchObject({
      nonRetryable: true,
      details: [{ ...cause, message: expect.stringMatching(/asset list of run .* is missing: /) }],
    });
    expect(calls).toBe(1);
  });

  it('the result of a wait is not written to a new folder', async () => {
    const type = node('wait', async ([asset]) => {
      await stage.removeRecords();
      return [done(asset?.key ?? '', { modelId: 'm' })];
    });
    await expect(attempt(type, input(['a'], since(1)))).rejects.toMatchObject({
      details: [{ code: 'RECORDS_UNREADABLE' }],
    });
  });
});

describe('work that may have been done twice', () => {
  it('the work is reported with its asset, and is not passed to later steps', async () => {
    const type = node('call', () => [
      {
        ...done('a', { jobId: 'j', possibleDuplicate: 'createRenders … twice' }),
        warnings: ['first'],
      },
      done('b', { jobId: 'k' }),
    ]);
    const { pages } = await attempt(type, input(['a', 'b']));
    const written = await stage.pages.read(pages);
    expect(written.flatMap(({ updates }) => updates)).toEqual([
      { assetIndex: 0, platformIds: { jobId: 'j' }, warnings: ['first', 'createRenders … twice'] },
      { assetIndex: 1, platformIds: { jobId: 'k' } },
    ]);
  });
});

describe('an asset that was refused when its shard was opened', () => {
  it('the asset fails in the first step, and is never passed to the node', async () => {
    const seen: string[] = [];
    const type = node('call', (given) => {
      seen.push(...given.map(({ key }) => key));
      return given.map(({ key }) => done(key));
    });
    const given = await input(['a', 'b']);
    const failure = { code: 'KEY_CLASH', message: 'of another object', attempts: 0 };
    const pages = await stage.pages.write('opened', '', [{ assetIndex: 0, failure }]);
    const output = await attempt(type, { ...given, pages });
    expect(seen).toEqual(['b']);
    expect(output).toMatchObject({ done: [1], failed: [0] });
    const written = await stage.pages.read(output.pages);
    expect(written.flatMap(({ updates }) => updates)).toEqual([{ assetIndex: 0, failure }]);
  });
});

describe('`when` of a step', () => {
  it('`when` skips the assets for which it is false, and they are never passed to the node', async () => {
    const seen: string[] = [];
    const type = node('call', (given) => {
      seen.push(...given.map(({ key }) => key));
      return given.map(({ key }) => done(key));
    });
    const when = 'asset.key.startsWith("a")';
    const output = await attempt(type, input(['a1', 'b1', 'a2'], { when }));
    expect(seen).toEqual(['a1', 'a2']);
    expect(output).toMatchObject({ pruned: [1], done: [0, 2], failed: [] });
  });

  it('a `when` that fails on one asset fails only this asset', async () => {
    const type = node('call', (given) => given.map(({ key }) => done(key)));
    const when = 'int(asset.name) > 5';
    const output = await attempt(type, input(['7', 'seven'], { when }));
    expect(output).toMatchObject({
      done: [0],
      failed: [1],
      reportedFailures: [{ assetIndex: 1, key: 'seven', code: 'EXPRESSION_FAILED' }],
    });
  });

  it('a `when` that is false for all assets does not run the node', async () => {
    const type = node('call', () => Promise.reject(new Error('nobody to work on')));
    expect(await attempt(type, input(['a'], { when: 'false' }))).toMatchObject({
      pruned: [0],
      pages: [],
    });
  });
});

describe('a wait without results', () => {
  const nothing = node('wait', () => []);
  const lookAgain = async (given: Promise<StepInput>): Promise<ApplicationFailure> => {
    const error: unknown = await attempt(nothing, given).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(ApplicationFailure);
    return error as ApplicationFailure;
  };

  it('the wait polls again at the next interval, after a benign failure that states the number of assets', async () => {
    stage.nowMs = 1_000_400;
    const failure = await lookAgain(input(['a', 'b'], since(5, 0)));
    expect(failure).toMatchObject({
      type: 'NOT_YET',
      message: '2 assets not ready yet',
      nextRetryDelay: 600,
      category: 'BENIGN',
      nonRetryable: false,
    });
  });

  it.each<[string, seconds: number[], delayMs: number]>([
    ['after a second if it started a moment ago', [0], 1_000],
    ['after a second if it started four minutes ago', [240], 1_000],
    ['after two seconds if it started five minutes ago', [300], 2_000],
    ['after at most 16 seconds if it started an hour ago', [3_600], 8_000],
    ['after at most about a minute if it started ten hours ago', [36_000], 24_000],
    ['after a second if one started ten hours ago, and another a second ago', [36_000, 1], 1_000],
  ])('the wait polls less often the longer it has waited: %s', async (_name, ages, delayMs) => {
    const keys = ages.map((_, index) => `k${index}`);
    const given = await input(keys, since(...ages));
    const patient = { ...given, step: { ...given.step, timeoutMs: 48 * 3_600_000 } };
    expect(await lookAgain(Promise.resolve(patient))).toMatchObject({ nextRetryDelay: delayMs });
  });

  it('the wait polls at the deadline of an asset, however long it has waited', async () => {
    const failure = await lookAgain(input(['a', 'b'], since(3_597, 3_590)));
    expect(failure.nextRetryDelay).toBe(3_000);
  });

  it('a call without results is complete, and is not polled again', async () => {
    expect(
      await attempt(
        node('call', () => []),
        input(['a']),
      ),
    ).toMatchObject({ done: [], failed: [] });
  });
});

describe('the result of an attempt', () => {
  const pageOf = async ({ pages }: StepOutput) =>
    (await stage.pages.read(pages)).flatMap(({ updates }) => updates);

  it('the result is written to a page, and only the name of the page is returned', async () => {
    const type = node('call', (assets) =>
      assets.map(({ key }) => done(key, { modelId: `m-${key}` })),
    );
    const given = await input(['a', 'b']);
    const output = await attempt(type, given);
    expect(output).toMatchObject({ done: [0, 1], reportedFailures: [] });
    expect(JSON.stringify(output)).not.toContain('m-a');
    expect(await pageOf(output)).toEqual([
      { assetIndex: 0, platformIds: { modelId: 'm-a' } },
      { assetIndex: 1, platformIds: { modelId: 'm-b' } },
    ]);
  });

  it('the result is available to later steps', async () => {
    const given = await input(['a', 'b']);
    const first = await attempt(
      node('call', (assets) => assets.map(({ key }) => done(key, { modelId: `m-${key}` }))),
      given,
    );
    const seen: PlatformIds[] = [];
    const next = node('call', (assets) => {
      seen.push(...assets.map(({ platformIds }) => platformIds));
      return assets.map(({ key }) => done(key));
    });
    const output = await attempt(next, { ...given, assets: [1], pages: first.pages });
    expect(seen).toEqual([{ modelId: 'm-b' }]);
    expect(output).toMatchObject({ done: [1], pages: [] });
  });

  it('the result contains why assets failed or are retried, for the first few assets', async () => {
    const given = await input(['a', 'b', 'c']);
    const step = { ...given.step, retry: { step: 's', max: 1 } };
    const output = await attempt(
      node('call', () => [failed('a'), retry('b'), done('c')]),
      { ...given, step },
    );
    expect(output).toMatchObject({
      done: [2],
      failed: [0],
      retry: [1],
      reportedFailures: [
        { assetIndex: 0, key: 'a', code: 'BROKEN' },
        { assetIndex: 1, key: 'b', code: 'RENDER_FAILED' },
      ],
    });
    expect(await pageOf(output)).toMatchObject([
      { assetIndex: 0, failure: { code: 'BROKEN', attempts: 1 } },
      { assetIndex: 1, retryStep: 's', platformIds: { retries: 1 } },
    ]);
  });

  it('the result stays small however many assets fail, and however long their messages are', async () => {
    const keys = Array.from({ length: 250 }, (_, at) => `${at}-${'ü'.repeat(400)}`);
    const type = node('call', (assets) =>
      assets.map(({ key }) => ({ ...failed(key), message: '語'.repeat(400) })),
    );
    const output = await attempt(type, input(keys));
    expect(output.failed).toHaveLength(250);
    expect(jsonBytesOf(output)).toBeLessThan(20_000);
  });
});

describe('a wait that receives wake-ups', () => {
  beforeEach(() => {
    stage.deps.pollerContext.wakeUps.isListening = true;
  });
  afterEach(() => stage.deps.pollerContext.wakeUps.close());

  it('the wait polls immediately when a wake-up arrives', async () => {
    let looks = 0;
    const type = node('wait', (given) => {
      looks += 1;
      if (looks === 1) setImmediate(() => stage.deps.pollerContext.wakeUps.receive(['model/m1']));
      return looks < 2 ? [] : given.map(({ key }) => done(key));
    });
    expect(await attempt(type, input(['a']))).toMatchObject({ done: [0] });
    expect(looks).toBe(2);
  });

  it('the wait ends when the worker stops, so that another worker makes the next attempt', async () => {
    const type = node('wait', () => {
      setImmediate(() => stage.deps.pollerContext.wakeUps.close());
      return [];
    });
    await expect(attempt(type, input(['a']))).rejects.toMatchObject({ type: 'NOT_YET' });
  });

  it('the wait ends when it is cancelled', async () => {
    const environment = new MockActivityEnvironment();
    const type = node('wait', () => {
      setImmediate(() => environment.cancel());
      return [];
    });
    const given = await input(['a']);
    const held = environment.run(() => runStep(type, given, stage.deps, () => undefined));
    await expect(held).rejects.toMatchObject({ name: 'CancelledFailure' });
  });
});

describe('the requests of a step', () => {
  it('the requests of failed attempts are included in the next successful attempt', async () => {
    let attempts = 0;
    const type = node('wait', async (given) => {
      attempts += 1;
      const requests = stage.deps.requestsOf('run-1');
      await stage.platform.client.listTemplates({}, { requestCounter: requests });
      return attempts < 3 ? [] : given.map(({ key }) => done(key));
    });
    await expect(attempt(type, input(['a']))).rejects.toThrow();
    await expect(attempt(type, input(['a']))).rejects.toThrow();
    expect(await attempt(type, input(['a']))).toMatchObject({ requests: { listTemplates: 3 } });
  });
});

describe('an error of a step', () => {
  it('an error of a step never contains a secret', async () => {
    const type = node('call', () => Promise.reject(new Error('bad header svc_test_secret')));
    await expect(attempt(type, input(['a']))).rejects.not.toThrow('svc_test_secret');
  });
});
