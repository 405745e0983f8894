// Sums up the results of a run while they are read, because a run may have more results than fit into memory.
import type { FinalizedAsset, PlatformResource, RunWarning } from '../../plan/contract/contract.ts';
import { LazyList } from '../../plan/helpers/lazy-list.ts';
import type { PlatformIds } from '../../plan/platform-ids.ts';
import { ExportTally } from '../../plan/run/export-tally.ts';
import type { ExportMemo } from '../../plan/run/run-memo.ts';
import { createTotals } from '../../plan/shard/totals.ts';
import type { DeliveredFile, Failure } from '../../plan/types.ts';
import type { ListedResults } from '../../store/runs/results.ts';
import { RunNotices } from '../notices/run-notices.ts';
import { hasNoRender } from '../paid-work.ts';

export class FinishedAssets {
  readonly totals = createTotals();
  readonly failures: Failure[] = [];
  readonly warnings: RunWarning[] = [];
  /** Platform resources of earlier versions that were deleted. */
  readonly deleted: (PlatformResource & { key: string })[] = [];
  readonly notices = new RunNotices();
  /** Decisions about the pictures of assets at approval nodes. */
  readonly decisions: NonNullable<PlatformIds['decisions']>[number][] = [];
  /** Keys of assets for which `hasNoRender` is true. */
  readonly unrenderedKeys = new Set<string>();
  readonly exports: ExportTally;
  #results: ListedResults | null = null;
  #fileCount = 0;

  constructor(exports: readonly ExportMemo[] | undefined) {
    this.exports = new ExportTally(exports);
  }

  /** Reads all results. After an error, this object contains what was read before. */
  async read(
    results: ListedResults,
    onAsset: (asset: FinalizedAsset) => void = () => undefined,
  ): Promise<void> {
    this.#results = results;
    for await (const asset of results.inShardOrder()) {
      this.#add(asset);
      onAsset(asset);
    }
  }

  /** The assets that were read. They are read again on each iteration. */
  get assets(): LazyList<FinalizedAsset> {
    return new LazyList(this.totals.total, () => this.#results?.inShardOrder() ?? readNothing());
  }

  /** Like `assets`, sorted by key. */
  get assetsByKey(): LazyList<FinalizedAsset> {
    return new LazyList(this.totals.total, () => this.#results?.inKeyOrder() ?? readNothing());
  }

  /** The files that the run has delivered. */
  get files(): LazyList<DeliveredFile> {
    return new LazyList(this.#fileCount, () => filesOf(this.assets));
  }

  #add(asset: FinalizedAsset): void {
    const { key, outcome, files, failure, warnings, deleted = [], platformIds } = asset;
    this.totals.total += 1;
    if (outcome !== 'cancelled') this.totals[outcome] += 1;
    this.#fileCount += files.length;
    if (failure !== null) this.failures.push(failure);
    for (const message of warnings) this.warnings.push({ key, message });
    for (const resource of deleted) this.deleted.push({ key, ...resource });
    if (hasNoRender(asset)) this.unrenderedKeys.add(key);
    this.notices.add(platformIds);
    this.decisions.push(...(platformIds.decisions ?? []));
    this.exports.add(asset);
  }
}

async function* readNothing(): AsyncGenerator<never> {}

async function* filesOf(assets: AsyncIterable<FinalizedAsset>): AsyncGenerator<DeliveredFile> {
  for await (const { files } of assets) yield* files;
}
