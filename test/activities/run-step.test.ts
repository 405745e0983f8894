// One attempt of a step: who is passed over, what is handed to the node, and what "nothing changed" becomes.
import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createDeps, type Deps } from '../../activities/deps.ts';
import { runStep } from '../../activities/run-step.ts';
import type { NodeType } from '../../src/nodes/node-type.ts';
import type { StepInput, StepOutput } from '../../src/plan/contract.ts';
import type { AssetResult, StepAsset } from '../../src/plan/types.ts';
import { runContext } from '../engine/_context.ts';
import { Platform } from '../engine/_platform.ts';
import { assets, done } from '../plan/_steps.ts';

let platform: Platform;
let deps: Deps;
let nowMs: number;
beforeEach(async () => {
  platform = await Platform.start();
  nowMs = 1_000_000;
  deps = createDeps({
    client: platform.client,
    isAlive: () => Promise.resolve(false),
    secrets: ['svc_test_secret'],
    now: () => nowMs,
  });
});
afterEach(() => platform.stop());

type Answer = (assets: StepAsset[]) => AssetResult[] | Promise<AssetResult[]>;

function node(mode: NodeType['mode'], answer: Answer): NodeType {
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

function input(keys: string[], more: Partial<StepInput> & { when?: string } = {}): StepInput {
  const { when = null, ...rest } = more;
  return {
    context: runContext(),
    shard: 0,
    step: { id: 's', node: 's', when, config: {}, batch: 50, redo: null, timeoutMs: 3_600_000 },
    assets: assets(...keys),
    wait: null,
    ...rest,
  };
}

const attempt = (type: NodeType, given: StepInput): Promise<StepOutput> =>
  new MockActivityEnvironment().run(() => runStep(type, given, deps)) as Promise<StepOutput>;

describe('work that may have been done twice', () => {
  it('is told with its asset, and travels no further', async () => {
    const type = node('call', () => [
      { ...done('a', { jobId: 'j', perhapsTwice: 'createRenders … twice' }), warnings: ['first'] },
      done('b', { jobId: 'k' }),
    ]);
    const { results } = await attempt(type, input(['a', 'b']));
    expect(results).toEqual([
      { ...done('a', { jobId: 'j' }), warnings: ['first', 'createRenders … twice'] },
      done('b', { jobId: 'k' }),
    ]);
  });
});

describe('when', () => {
  it('passes over the assets for which it is false; the node never sees them', async () => {
    const seen: string[] = [];
    const type = node('call', (given) => {
      seen.push(...given.map(({ key }) => key));
      return given.map(({ key }) => done(key));
    });
    const { results } = await attempt(
      type,
      input(['a1', 'b1', 'a2'], { when: 'asset.key.startsWith("a")' }),
    );
    expect(seen).toEqual(['a1', 'a2']);
    expect(results).toMatchObject([
      { key: 'b1', outcome: 'pruned' },
      { key: 'a1', outcome: 'done' },
      { key: 'a2', outcome: 'done' },
    ]);
  });

  it('that fails on one asset fails that one only', async () => {
    const type = node('call', (given) => given.map(({ key }) => done(key)));
    const { results } = await attempt(type, input(['7', 'seven'], { when: 'int(asset.name) > 5' }));
    expect(results).toMatchObject([
      { key: 'seven', outcome: 'failed', code: 'EXPRESSION_FAILED' },
      { key: '7', outcome: 'done' },
    ]);
  });

  it('that is false for all calls the node for nobody', async () => {
    const type = node('call', () => Promise.reject(new Error('nobody to work on')));
    const { results } = await attempt(type, input(['a'], { when: 'false' }));
    expect(results).toEqual([{ key: 'a', outcome: 'pruned' }]);
  });
});

describe('a wait that finds nothing', () => {
  const nothing = node('wait', () => []);
  const lookAgain = async (given: StepInput): Promise<ApplicationFailure> => {
    const error: unknown = await attempt(nothing, given).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(ApplicationFailure);
    return error as ApplicationFailure;
  };

  it('looks again at the next tick, as a benign failure that tells how many it waits for', async () => {
    nowMs = 1_000_400;
    const failure = await lookAgain(input(['a', 'b']));
    expect(failure).toMatchObject({
      type: 'NOT_YET',
      message: '2 assets not ready yet',
      nextRetryDelay: 600,
      category: 'BENIGN',
      nonRetryable: false,
    });
  });

  it('answers with nothing when the shard wants it back', async () => {
    const given = input(['a'], { wait: { gather: 50, returnByMs: nowMs } });
    expect(await attempt(nothing, given)).toMatchObject({ results: [] });
    const later = input(['a'], { wait: { gather: 50, returnByMs: nowMs + 60_000 } });
    expect(await lookAgain(later)).toMatchObject({ type: 'NOT_YET' });
  });

  it('a call that does nothing is done, not looked at again', async () => {
    expect(
      await attempt(
        node('call', () => []),
        input(['a']),
      ),
    ).toMatchObject({ results: [] });
  });
});

describe('a wait that hears hints', () => {
  beforeEach(() => {
    deps.lookout.hints.listening = true;
  });
  afterEach(() => deps.lookout.hints.close());

  it('is held, and looks at once when one comes', async () => {
    let looks = 0;
    const type = node('wait', (given) => {
      looks += 1;
      if (looks === 1) setImmediate(() => deps.lookout.hints.hear(['model/m1']));
      return looks < 2 ? [] : given.map(({ key }) => done(key));
    });
    expect(await attempt(type, input(['a']))).toMatchObject({ results: [{ key: 'a' }] });
    expect(looks).toBe(2);
  });

  it('is let go when the worker stops; the next attempt is that of another', async () => {
    const type = node('wait', () => {
      setImmediate(() => deps.lookout.hints.close());
      return [];
    });
    await expect(attempt(type, input(['a']))).rejects.toMatchObject({ type: 'NOT_YET' });
  });

  it('ends when it is cancelled', async () => {
    const environment = new MockActivityEnvironment();
    const type = node('wait', () => {
      setImmediate(() => environment.cancel());
      return [];
    });
    const held = environment.run(() => runStep(type, input(['a']), deps));
    await expect(held).rejects.toMatchObject({ name: 'CancelledFailure' });
  });
});

describe('what it cost', () => {
  it('counts the requests of failed attempts with the next one that answers', async () => {
    let attempts = 0;
    const type = node('wait', async (given) => {
      attempts += 1;
      const requests = deps.requestsOf('run-1');
      await platform.client.listTemplates({}, { scope: requests });
      return attempts < 3 ? [] : given.map(({ key }) => done(key));
    });
    await expect(attempt(type, input(['a']))).rejects.toThrow();
    await expect(attempt(type, input(['a']))).rejects.toThrow();
    expect(await attempt(type, input(['a']))).toMatchObject({ requests: { listTemplates: 3 } });
  });
});

describe('trouble', () => {
  it('never tells a secret', async () => {
    const type = node('call', () => Promise.reject(new Error('bad header svc_test_secret')));
    await expect(attempt(type, input(['a']))).rejects.not.toThrow('svc_test_secret');
  });

  it('a config that does not fit the node is told by its field', async () => {
    const type = node('call', () => []);
    const given = input(['a']);
    const step = { ...given.step, config: { colour: 'red' } };
    await expect(attempt(type, { ...given, step })).rejects.toThrow('colour');
  });
});
