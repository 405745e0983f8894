// Ambiguous calls whose assets fail, or whose run is cancelled, before a result of their step can report them.
import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { finalizeAssets } from '../../activities/shard/shards.ts';
import type { ShardAssetOutcome } from '../../src/plan/shard/step-contract.ts';
import type { Asset } from '../../src/plan/types.ts';
import { openShard as claimShard } from '../../src/store/runs/open-shard.ts';
import { collect } from '../connectors/_temp-folder.ts';
import { dead } from '../store/_store.ts';
import { contextOf, depsOf, runAttempts, takeOverAssets } from './_attempts.ts';
import { creatingCalls } from './_creating-calls.ts';
import { SandboxRun } from './_sandbox-run.ts';

let at: SandboxRun;
beforeEach(async () => {
  at = await SandboxRun.start();
});
afterEach(() => at.stop());

const scene = (operation: string) => {
  const found = creatingCalls[operation];
  if (found === undefined) throw new Error(`no scene for ${operation}`);
  return found;
};

/** The warnings of the run for each asset, if all assets end with this outcome. */
async function toldOf(assets: readonly Asset[], end: Omit<ShardAssetOutcome, 'assetIndex'>) {
  const deps = depsOf(at);
  const context = contextOf(at);
  const settled = assets.map((_, position) => ({ assetIndex: position, ...end }));
  const input = { context, shard: 0, part: 0, outcomes: settled, pages: [], causes: [] };
  await new MockActivityEnvironment().run(() => finalizeAssets(input, deps));
  const results = await collect(deps.storeOf(context).results.read(context.run));
  return new Map(results.map(({ key, warnings }) => [key, warnings]));
}

class Gone extends Error {}

/** No retries. */
const giveUp = () => {
  throw new Gone();
};

describe('a run that is cancelled after a lost response', () => {
  const paid = Object.keys(creatingCalls).filter((operation) => operation !== 'confirmJobUploads');

  it.each(paid)(
    '%s: the run reports a possible duplicate for each affected asset',
    async (operation) => {
      const { activity, prepare } = scene(operation);
      const { plan, assets } = await prepare(at);
      await at.control('faults', [{ match: operation, do: { commitThenStatus: 500 } }]);
      const ending = runAttempts(at, plan, activity, assets, { betweenAttempts: giveUp });
      await expect(ending).rejects.toThrow(Gone);
      const told = await toldOf(assets, { outcome: 'cancelled' });
      const sent = operation.startsWith('retry') ? told.get('a') : [...told.values()].flat();
      expect(sent).toHaveLength(operation.startsWith('retry') ? 1 : assets.length);
      for (const warning of sent ?? []) {
        expect(warning).toMatch(new RegExp(`^${operation} was .* twice$`));
      }
    },
  );

  it('the run reports nothing about calls that succeeded or were refused', async () => {
    const { activity, prepare } = scene('createRenders');
    const { plan, assets } = await prepare(at);
    await at.control('faults', [{ match: 'createRenders', nth: 1, do: { status: 403 } }]);
    await expect(
      runAttempts(at, plan, activity, assets, { betweenAttempts: giveUp }),
    ).rejects.toThrow();
    expect([...(await toldOf(assets, { outcome: 'cancelled' })).values()].flat()).toEqual([]);
    await runAttempts(at, plan, activity, assets);
    expect([...(await toldOf(assets, { outcome: 'cancelled' })).values()].flat()).toEqual([]);
  });
});

describe('a file that changes after the response to its creating call was lost', () => {
  it.each(['createJob', 'createModels', 'createProps', 'createDecals', 'createMaterial'])(
    '%s: the asset fails, and its warnings list the resources that are left behind',
    async (operation) => {
      const { activity, prepare, createdIds: made } = scene(operation);
      const { plan, assets } = await prepare(at);
      await at.control('faults', [{ match: operation, times: 1, do: { commitThenStatus: 500 } }]);
      const ended = await runAttempts(at, plan, activity, assets, {
        async betweenAttempts() {
          for (const { source } of assets) {
            for (const path of Object.values(source.set?.files ?? { file: source.path })) {
              await utimes(join(at.folder, path), 1, 1);
            }
          }
        },
      });
      expect([...ended.results.values()]).toMatchObject(
        assets.map(() => ({ outcome: 'failed', code: 'SOURCE_CHANGED' })),
      );
      const failure = { node: 'take' };
      const told = await toldOf(assets, { outcome: 'failed', failure });
      // The owner of the resources is unknown, so they are reported and not deleted.
      const left = await made(at, assets);
      const named = [...told.values()]
        .flat()
        .filter((text) => / [0-9a-f-]{36} .* twice/.test(text));
      expect([left.length > 0, named.length]).toEqual([true, left.length]);
    },
  );
});

describe('a run that died before it reported a possible duplicate', () => {
  it('another run takes over and reports the possible duplicate', async () => {
    const { activity, prepare } = scene('createRenders');
    const { plan, assets } = await prepare(at);
    await at.control('faults', [
      { match: 'createRenders', times: 1, do: { commitThenStatus: 500 } },
    ]);
    await runAttempts(at, plan, activity, assets);
    const deps = depsOf(at);
    await claimShard(deps.storeOf(contextOf(at)), 0, dead);
    const updates = await takeOverAssets(at, { run: 'run-2', lineage: 'run-2' }, assets);
    expect(updates).toMatchObject(
      assets.map(() => ({
        platformIds: { jobId: expect.any(String) as string },
        warnings: [expect.stringMatching(/^createRenders .* twice$/)],
      })),
    );
    expect(
      updates.filter(({ platformIds }) => platformIds?.possibleDuplicate !== undefined),
    ).toEqual([]);
  });
});

describe('a call whose outcome is unknown after a day', () => {
  it('the call fails in its own run and in the next one, and a rerun sends it again', async () => {
    const { activity, prepare } = scene('createRenders');
    const { plan, assets } = await prepare(at);
    await at.control('faults', [{ match: 'createRenders', nth: 1, do: { status: 500 } }]);
    const aDayLater = () => at.pass(24 * 3_600);
    const unknown = { type: 'OUTCOME_UNKNOWN' };
    const first = runAttempts(at, plan, activity, assets, { betweenAttempts: aDayLater });
    await expect(first).rejects.toMatchObject(unknown);
    const later = { previousRun: 'run-1' };
    const next = runAttempts(at, plan, activity, assets, { ...later, run: 'run-2' });
    await expect(next).rejects.toMatchObject(unknown);
    const again = await runAttempts(at, plan, activity, assets, {
      ...later,
      run: 'run-3',
      epoch: 1,
    });
    expect([...again.results.values()]).toMatchObject(assets.map(() => ({ outcome: 'done' })));
  });
});
