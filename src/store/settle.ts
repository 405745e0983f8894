// Writes down how assets ended: the record first, then the claim, then the results page; in this order a
// crash in between leaves nothing that a second attempt does not put right.
import type { SettledAsset, SettleInput } from '../plan/contract.ts';
import type { Refs } from '../plan/types.ts';
import { mapBounded } from './bounded.ts';
import type { RunStore } from './run-store.ts';
import { isUploaded } from './uploaded-as.ts';

/** Settles a part of a shard. Safe when it runs twice. */
export async function settleAssets(
  store: RunStore,
  { shard, part, settled }: Pick<SettleInput, 'shard' | 'part' | 'settled'>,
  signal?: AbortSignal,
): Promise<void> {
  const page = await store.manifest.page(shard);
  const previous = new Map(page.map((asset) => [asset.key, asset.previous ?? []]));
  await mapBounded(
    settled,
    (asset) => settleOne(store, shard, asset, previous.get(asset.key) ?? []),
    { signal },
  );
  await store.results.write(store.context.run, shard, part, settled);
}

async function settleOne(
  store: RunStore,
  shard: number,
  asset: SettledAsset,
  previous: readonly string[],
): Promise<void> {
  const { key, source, refs, files } = asset;
  const wish = { key, version: source.version, shard };
  switch (asset.outcome) {
    case 'complete': {
      const { run, lineage, recipe } = store.context;
      const sourceSha256 = store.sourceHashes.get(key, source.version);
      const finishedAt = new Date(store.now()).toISOString();
      await store.records.write(
        {
          key,
          source,
          ...(sourceSha256 === undefined ? {} : { sourceSha256 }),
          recipe,
          refs,
          files,
          run,
          lineage,
          finishedAt,
        },
        previous,
      );
      store.sourceHashes.forget(key, source.version);
      return store.claims.release(key);
    }
    case 'failed':
      return store.claims.leave({ ...wish, refs: withoutCounts(refs) }, 'failed', asset.failure);
    case 'cancelled': {
      const kept = asset.renderGoesOn ? refs : withoutJob(refs);
      if (!isUploaded(kept)) return store.claims.release(key);
      return store.claims.leave({ ...wish, refs: kept }, 'cancelled', null);
    }
    case 'skipped':
      return store.claims.release(key);
  }
}

/** Retries are counted anew by whoever takes the asset next. */
function withoutCounts({ retries: _retries, ...refs }: Refs): Refs {
  return refs;
}

/** A cancelled run has cancelled its renders too; model and project are there to be used again. */
function withoutJob({
  jobId: _jobId,
  batchId: _batchId,
  submittedAt: _submittedAt,
  retries: _retries,
  failedJob: _failedJob,
  outputs: _outputs,
  ...refs
}: Refs): Refs {
  return refs;
}
