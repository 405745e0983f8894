// Counts the results of each export of a pipeline with several exports.
import { formatCount } from '../helpers/format-count.ts';
import { fingerprintOf } from '../rows.ts';
import type { DeliveredFile, Failure } from '../types.ts';
import { locationOf } from './location.ts';
import type { ExportMemo } from './run-memo.ts';

export interface ExportCounts {
  node: string;
  /** Absolute folder, or an address of the connector; null if unknown. */
  destination: string | null;
  /** Delivered files that are there, from this run or an earlier one. */
  files: number;
  /** Assets that failed at it. */
  failed: number;
}

interface FinishedAsset {
  files: readonly DeliveredFile[];
  failure: Failure | null;
  /** For a failed asset: what its other exports have delivered. */
  platformIds: { delivered?: readonly DeliveredFile[] };
}

export class ExportTally {
  readonly #exports: readonly ExportMemo[];
  readonly #files = new Map<string, number>();
  readonly #failed = new Map<string, number>();

  constructor(exports: readonly ExportMemo[] = []) {
    this.#exports = exports;
  }

  add({ files, failure, platformIds }: FinishedAsset): void {
    for (const file of [...files, ...(platformIds.delivered ?? [])]) {
      const delivery = fingerprintOf(file.delivery ?? '');
      this.#files.set(delivery, (this.#files.get(delivery) ?? 0) + 1);
    }
    if (failure !== null) this.#failed.set(failure.node, (this.#failed.get(failure.node) ?? 0) + 1);
  }

  /** In the order of the file. */
  get counts(): ExportCounts[] {
    return this.#exports.map(({ node, delivery, location }) => ({
      node,
      destination: locationOf(location),
      files: this.#files.get(delivery) ?? 0,
      failed: this.#failed.get(node) ?? 0,
    }));
  }
}

export function exportCounts(
  exports: readonly ExportMemo[] | undefined,
  ended: Iterable<FinishedAsset>,
): ExportCounts[] {
  const tally = new ExportTally(exports);
  for (const asset of ended) tally.add(asset);
  return tally.counts;
}

/** `12 files in local folder /srv/shop, 3 assets failed`. */
export function formatExport({ destination, files, failed }: ExportCounts): string {
  const more = failed > 0 ? `, ${formatCount(failed, 'asset')} failed` : '';
  return `${formatCount(files, 'file')} in ${destination ?? '?'}${more}`;
}
