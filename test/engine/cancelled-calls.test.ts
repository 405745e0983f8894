// Successful calls of steps that were cancelled before they could report their results. Nothing is created twice.
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Deps } from '../../activities/deps.ts';
import { cancelRemote } from '../../activities/shard/cancel-remote.ts';
import { finalizeAssets } from '../../activities/shard/shards.ts';
import type { CancelReport, ShardAssetOutcome } from '../../src/plan/shard/step-contract.ts';
import type { Asset, Plan } from '../../src/plan/types.ts';
import { openShard as claimShard } from '../../src/store/runs/open-shard.ts';
import { dead } from '../store/_store.ts';
import { contextOf, depsOf, runAttempts, takeOverAssets } from './_attempts.ts';
import { noWorkflows } from './_context.ts';
import { countRequests, creatingCalls } from './_creating-calls.ts';
import { SandboxRun } from './_sandbox-run.ts';

let at: SandboxRun;
beforeEach(async () => {
  at = await SandboxRun.start();
});
afterEach(() => at.stop());

/** Each scenario creates resources for two assets, or two variants of one asset. */
const everything = 2;

class Gone extends Error {}

/** The result of the attempt cannot be stored, or does not reach the server. */
function unheard(deps: Deps): Deps {
  return {
    ...deps,
    storeOf(context) {
      const store = deps.storeOf(context);
      const pages = store.pages.bind(store);
      store.pages = (shard) => {
        const known = pages(shard);
        known.write = () => Promise.reject(new Gone());
        return known;
      };
      return store;
    },
  };
}

/** The run is closed while the platform responds. */
const late = (deps: Deps, isMade: () => Promise<boolean>): Deps => ({
  ...deps,
  workflows: { ...noWorkflows, isAttemptCurrent: async () => !(await isMade()) },
});

/** Runs the step in a first run that closes meanwhile, with a worker that vanishes. */
async function endedIn(
  plan: Plan,
  activity: string,
  assets: readonly Asset[],
  worker: (deps: Deps) => Deps,
  end: Omit<ShardAssetOutcome, 'assetIndex'> = { outcome: 'cancelled' },
) {
  const give = () => {
    throw new Gone();
  };
  const ending = runAttempts(at, plan, activity, assets, { worker, betweenAttempts: give });
  await expect(ending).rejects.toThrow(Gone);
  const deps = depsOf(at);
  const context = contextOf(at);
  const store = deps.storeOf(context);
  await claimShard(store, 0, dead);
  const known = assets.map(({ platformIds }, position) => ({ assetIndex: position, platformIds }));
  const pages = await store.pages(0).write('before', '', known);
  const all = { context, shard: 0, assets: assets.map((_, position) => position), pages };
  if (end.outcome === 'cancelled') {
    const cancelling = () => cancelRemote(all, deps);
    const report = (await new MockActivityEnvironment().run(cancelling)) as CancelReport;
    pages.push(...report.pages);
  }
  const settled = all.assets.map((position) => ({ assetIndex: position, ...end }));
  const ended = { context, shard: 0, part: 0, outcomes: settled, causes: [] };
  await new MockActivityEnvironment().run(() => finalizeAssets({ ...ended, pages }, deps));
}

/** The assets after the next run has taken them over. */
async function takenOver(assets: readonly Asset[]): Promise<Asset[]> {
  const updates = await takeOverAssets(at, { run: 'run-2', lineage: 'run-2' }, assets);
  return assets.map((asset, position) => ({
    ...asset,
    platformIds: updates.find((patch) => patch.assetIndex === position)?.platformIds ?? {},
  }));
}

const cancelled = { outcome: 'cancelled' } as const;
/** The abandoned step does not have its own page here. */
const failed = { outcome: 'failed', failure: { node: 'take' } } as const;

describe.each([
  ['of a cancelled step, whose result is lost', unheard, cancelled],
  ['of a cancelled step whose worker returns only after the run has closed', late, cancelled],
  ['of a step that subsequently fails as a whole', unheard, failed],
])('a successful call %s', (_, worker, end) => {
  it.each(['createProjects', 'createColorwayBatch', 'exportProductionFile'])(
    '%s: the next run adopts what the call has created',
    async (operation) => {
      const {
        activity,
        prepare,
        createdIds: made,
      } = creatingCalls[operation] ?? expect.fail(operation);
      const { plan, assets } = await prepare(at);
      const isMade = async () => (await made(at, assets)).length === everything;
      await endedIn(plan, activity, assets, (deps) => worker(deps, isMade), end);
      const before = await made(at, assets);
      expect(before).toHaveLength(everything);
      await runAttempts(at, plan, activity, await takenOver(assets), {
        run: 'run-2',
        previousRun: 'run-1',
      });
      expect(await made(at, assets)).toEqual(before);
    },
  );
});

it('renders whose ids were never reported are cancelled with their run', async () => {
  const { activity, prepare, createdIds: made } = creatingCalls['createRenders'] ?? expect.fail();
  const { plan, assets } = await prepare(at);
  await endedIn(plan, activity, assets, unheard);
  expect(await made(at, assets)).toHaveLength(assets.length);
  expect(await countRequests(at, 'cancelRenderJob')).toBe(assets.length);
});
