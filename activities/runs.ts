// Bookkeeping of a run: what there is to do, who works on it, how it ended.
import { Context } from '@temporalio/activity';
import { durationMs } from '../src/compile/duration.ts';
import { keyMaker } from '../src/engine/key-of.ts';
import { connectorPoll } from '../src/nodes/connector-poll.ts';
import type {
  DiscoverInput,
  Discovery,
  OpenedShard,
  OpenShardInput,
  SettleInput,
} from '../src/plan/contract.ts';
import type { Asset } from '../src/plan/types.ts';
import { discoverRun } from '../src/store/discover-run.ts';
import { openShard as openClaims } from '../src/store/open-shard.ts';
import { settleAssets } from '../src/store/settle.ts';
import type { Deps } from './deps.ts';
import { toFailure } from './failures.ts';
import { whileBeating } from './heartbeats.ts';
import { connectorSpec } from './node-context.ts';

/** Lists the connector and writes the run's manifest. */
export async function discover(input: DiscoverInput, deps: Deps): Promise<Discovery> {
  const { context, discovery, shardSize } = input;
  return bookkeeping(deps, async (signal) => {
    const config = connectorPoll.config.parse(discovery.config);
    return discoverRun(deps.store(context), {
      connector: deps.connector(connectorSpec(context, config.connector)),
      config: {
        include: config.include,
        exclude: config.exclude,
        stableForMs: durationMs(config.stableFor),
      },
      node: discovery.node,
      keyOf: discovery.key === null ? null : keyMaker(discovery.key, context.parameters),
      shardSize,
      category: config.category ?? null,
      parameters: context.parameters,
      signal,
    });
  });
}

/** Claims the assets of a shard and adopts what a dead run had made of them. */
export async function openShard(input: OpenShardInput, deps: Deps): Promise<OpenedShard> {
  return bookkeeping(deps, async (signal) => {
    const store = deps.store(input.context);
    const opened = await openClaims(store, input.shard, { isAlive: deps.isAlive, signal });
    const assets = await withoutLost(opened.assets, deps, input.context.run);
    return { ...opened, assets };
  });
}

/**
 * Adopted models that the platform does not have any more are taken up again from their files: they were
 * deleted, or the records come from another workspace.
 */
async function withoutLost(assets: Asset[], deps: Deps, run: string): Promise<Asset[]> {
  const adopted = assets.flatMap(({ refs }) => refs.modelId ?? []);
  if (adopted.length === 0) return assets;
  const looks = await deps.lookout.models.ask(adopted, deps.requestsOf(run));
  return assets.map((asset) =>
    looks.get(asset.refs.modelId ?? '')?.look === null ? { ...asset, refs: {} } : asset,
  );
}

/** Writes records, claims and results of assets that came to their end. */
export async function settle(input: SettleInput, deps: Deps): Promise<void> {
  return bookkeeping(deps, (signal) => settleAssets(deps.store(input.context), input, signal));
}

async function bookkeeping<T>(deps: Deps, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const activity = Context.current();
  try {
    return await whileBeating(() => work(activity.cancellationSignal));
  } catch (error) {
    throw toFailure(error, activity.info.attempt, deps.secrets);
  }
}
