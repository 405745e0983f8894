// Bookkeeping of a shard: who works on its assets, what is known of them, how they ended.
import { Context } from '@temporalio/activity';
import { safeMessage } from '../src/api/scrub.ts';
import { deleteThings } from '../src/engine/orphans/delete-things.ts';
import { firstFitting } from '../src/plan/bytes.ts';
import type {
  Folded,
  FoldInput,
  OpenedShard,
  SettleInput,
  SettleReport,
  ShardOf,
} from '../src/plan/step-contract.ts';
import type { Asset } from '../src/plan/types.ts';
import { foldedPatch } from '../src/store/asset-sheets.ts';
import { openShard as openClaims } from '../src/store/open-shard.ts';
import { settleAssets } from '../src/store/settle.ts';
import { settledAssets, warningsOf } from '../src/store/step-report.ts';
import { bookkeeping } from './bookkeeping.ts';
import type { Deps } from './deps.ts';
import { readSheets, writePatches } from './shard-sheets.ts';

/** Keys travel for people who look at the run; what they are used for is read from the records store. */
const keyChars = 160;
const keysAtMost = { count: 10_000, bytes: 40_000 };

/** Claims the assets of a shard and adopts what a dead run had made of them. */
export async function openShard(input: ShardOf, deps: Deps): Promise<OpenedShard> {
  return bookkeeping(deps, async (signal) => {
    const store = deps.store(input.context);
    const { assets, taken } = await openClaims(store, input.shard, {
      isAlive: deps.isAlive,
      signal,
    });
    const kept = await withoutLost(assets, deps, input.context.run);
    const patches = kept.map(({ at, refs }) => ({ at, refs }));
    const known = patches.filter(({ refs }) => Object.keys(refs).length > 0);
    const keys = kept.map(({ key }) =>
      key.length <= keyChars ? key : `${key.slice(0, keyChars)}…`,
    );
    return {
      assets: kept.map(({ at }) => at),
      keys: firstFitting(keys, keysAtMost),
      taken: taken.length,
      pages: await writePatches(input, '', known, deps),
    };
  });
}

/**
 * Adopted models that the platform does not have any more are taken up again from their files: they were
 * deleted, or the records come from another workspace. Models that the run was to take are not adopted.
 */
async function withoutLost<A extends Asset>(assets: A[], deps: Deps, run: string): Promise<A[]> {
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

/** Puts one set of pages in place of the many that tell of a shard's open assets. */
export async function fold(input: FoldInput, deps: Deps): Promise<Folded> {
  return bookkeeping(deps, async (signal) => {
    const sheets = await readSheets(input, deps, signal);
    const warned = new Map(input.warned);
    const patches = sheets.map((sheet) => {
      const more = warningsOf(warned.get(sheet.at), input.causes);
      return foldedPatch({ ...sheet, warnings: [...sheet.warnings, ...more] });
    });
    return { pages: await writePatches(input, '', patches, deps) };
  });
}

/** Writes records, claims and results of assets that came to their end; deletes what they supersede. */
export async function settle(input: SettleInput, deps: Deps): Promise<SettleReport | undefined> {
  const { context, shard, part, superseded } = input;
  return bookkeeping(deps, async (signal) => {
    const store = deps.store(context);
    const assets = input.settled.map(({ at }) => at);
    const sheets = await readSheets({ ...input, assets }, deps, signal);
    const settled = settledAssets(sheets, input.settled, input);
    if (superseded === undefined) {
      await settleAssets(store, { shard, part, settled }, { signal });
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
    await settleAssets(
      store,
      { shard, part, settled },
      {
        remove: async (things) => {
          const left = await deleteThings(things, deletion);
          return left && { ...left, why: safeMessage(left.why, deps.secrets) };
        },
      },
    );
    return { requests: requests.take().byOperation };
  });
}
