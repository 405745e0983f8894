// Bookkeeping of a run: what there is to do, who works on it, how it ended.
import { Context } from '@temporalio/activity';
import { safeMessage } from '../src/api/scrub.ts';
import { excessLines, findExcess, workOf } from '../src/engine/check-limits.ts';
import { keyMaker } from '../src/engine/discovery/key-of.ts';
import { chooseUndone } from '../src/engine/discovery/undone-of.ts';
import { RunCauseError } from '../src/engine/engine-errors.ts';
import { estimate } from '../src/engine/estimate.ts';
import { deleteThings } from '../src/engine/orphans/delete-things.ts';
import { listerOf } from '../src/nodes/lister-of.ts';
import { lookUpNames } from '../src/nodes/look-up-names.ts';
import type {
  Discovered,
  DiscoverInput,
  OpenedShard,
  OpenShardInput,
  SettleInput,
  SettleReport,
} from '../src/plan/contract.ts';
import type { Asset, Json } from '../src/plan/types.ts';
import { Again } from '../src/store/again.ts';
import { discoverRun } from '../src/store/discover-run.ts';
import { openShard as openClaims } from '../src/store/open-shard.ts';
import { openRunStore, type RunStore } from '../src/store/run-store.ts';
import { settleAssets } from '../src/store/settle.ts';
import type { Deps } from './deps.ts';
import { toFailure } from './failures.ts';
import { whileBeating } from './heartbeats.ts';
import { connectorSpec } from './node-context.ts';

/** Lists what the root takes and writes the run's manifest. */
export async function discover(input: DiscoverInput, deps: Deps): Promise<Discovered> {
  const { context, discovery, shardSize, canary, caps } = input;
  const requests = deps.requestsOf(context.run);
  const { client, lookout } = deps.platformOf(context);
  return bookkeeping(deps, async (signal) => {
    const names = { lookout, run: context, requests, signal };
    const again = await againOf(input, deps, signal);
    const lister = listerOf(discovery, {
      node: discovery.node,
      ids: again?.ids ?? input.ids ?? null,
      mayWrite: true,
      client: () => client,
      connectorNamed: (name) => deps.connector(connectorSpec(context, name)),
      requests,
      now: deps.now,
    });
    const found = await discoverRun(deps.store(context), {
      lister,
      node: discovery.node,
      keyOf: discovery.key === null ? null : keyMaker(discovery.key, context.parameters),
      shardSize,
      ...(canary ? { canary } : {}),
      again,
      category: categoryOf(discovery.config),
      parameters: context.parameters,
      check: async ({ assets }) => {
        if (caps) refuseExcess(caps, assets);
        // A run with nothing to do asks for nothing.
        if (assets.length > 0) await lookUpNames(discovery.lookUps ?? [], names);
      },
      signal,
    });
    const sent = requests.take();
    return sent.total === 0 ? found : { ...found, requests: sent.byOperation };
  });
}

/** What the run does again; null where it takes what there is. */
async function againOf(
  { context, again }: DiscoverInput,
  deps: Deps,
  signal: AbortSignal,
): Promise<Again | null> {
  if (!again) return null;
  // Not the store that the worker keeps for the earlier run, which has a recipe of its own.
  const before = openRunStore(deps.connector(context.records), { ...context, run: again.of });
  return new Again(again.of, await chooseUndone(before, again, signal));
}

/** @throws RunCauseError when the plan needs more than its file allows. */
function refuseExcess(
  { limits, plan }: NonNullable<DiscoverInput['caps']>,
  assets: readonly Pick<Asset, 'source'>[],
): void {
  const excess = findExcess(limits, estimate(plan, { assets }, null), workOf({ assets }));
  if (excess.length === 0) return;
  throw new RunCauseError({
    code: 'LIMIT_EXCEEDED',
    message: excessLines(excess).replaceAll('\n', '; '),
    fix: 'Raise `limits` in the file and apply it again, or give the run less to do',
    kind: 'never',
  });
}

/** Category that the root gives its models. */
function categoryOf(config: Json): string | null {
  if (typeof config !== 'object' || config === null || Array.isArray(config)) return null;
  return typeof config['category'] === 'string' ? config['category'] : null;
}

/** Claims the assets of a shard and adopts what a dead run had made of them. */
export async function openShard(input: OpenShardInput, deps: Deps): Promise<OpenedShard> {
  return bookkeeping(deps, async (signal) => {
    const store = deps.store(input.context);
    await mustBeFound(store);
    const opened = await openClaims(store, input.shard, { isAlive: deps.isAlive, signal });
    const assets = await withoutLost(opened.assets, deps, input.context.run);
    return { ...opened, assets };
  });
}

/** A shard of a run whose manifest this worker does not see would open empty, and its assets would be passed over. */
async function mustBeFound({ manifest }: RunStore): Promise<void> {
  if ((await manifest.discovery()) === null) throw manifest.gone();
}

/**
 * Adopted models that the platform does not have any more are taken up again from their files: they were
 * deleted, or the records come from another workspace. Models that the run was to take are not adopted.
 */
async function withoutLost(assets: Asset[], deps: Deps, run: string): Promise<Asset[]> {
  const adopted = assets.flatMap(({ source, refs }) =>
    source.id === undefined && refs.modelId !== undefined ? [refs.modelId] : [],
  );
  if (adopted.length === 0) return assets;
  const lost = new Set<string | undefined>();
  const looks = await deps.lookout.models.know(adopted, deps.requestsOf(run));
  for (const [modelId, { look }] of looks) if (look === null) lost.add(modelId);
  return assets.map((asset) =>
    asset.source.id === undefined && lost.has(asset.refs.modelId) ? { ...asset, refs: {} } : asset,
  );
}

/** Writes records, claims and results of assets that came to their end; deletes what they supersede. */
export async function settle(input: SettleInput, deps: Deps): Promise<SettleReport | undefined> {
  const { context, superseded } = input;
  return bookkeeping(deps, async (signal) => {
    const store = deps.store(context);
    if (superseded === undefined) {
      await settleAssets(store, input, { signal });
      return undefined;
    }
    const activity = Context.current();
    const { attempt, scheduledTimestampMs } = activity.info;
    const requests = deps.requestsOf(context.run);
    const deletion = {
      client: deps.platformOf(context).client,
      requests,
      signal,
      isEnding: () =>
        superseded === 'later' || activity.cancellationDetails?.cancelRequested === true,
      attempt: { number: attempt, firstAtMs: scheduledTimestampMs },
      now: deps.now,
    };
    await settleAssets(store, input, {
      remove: async (things) => {
        const left = await deleteThings(things, deletion);
        return left && { ...left, why: safeMessage(left.why, deps.secrets) };
      },
    });
    return { requests: requests.take().byOperation };
  });
}

async function bookkeeping<T>(deps: Deps, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const activity = Context.current();
  try {
    return await whileBeating(() => work(activity.cancellationSignal));
  } catch (error) {
    throw toFailure(error, activity.info.attempt, deps.secrets);
  }
}
