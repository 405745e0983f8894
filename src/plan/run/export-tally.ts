// Counts the results of each export of a pipeline with several exports.
import { formatCount } from '../helpers/format-count.ts';
import { fingerprintOf } from '../rows.ts';
import type { DeliveredFile, Failure } from '../types.ts';
import { locationOf } from './location.ts';
import type { ExportMemo } from './run-memo.ts';

export interface ExportCounts {
  node: string;
  /** Absolute folder, or an address of the connector. Null if unknown. */
  destination: string | null;
  /** Number of delivered files, from this run or an earlier one. */
  files: number;
  failed: number;
}

interface FinishedAsset {
  files: readonly DeliveredFile[];
  failure: Failure | null;
  /** `delivered` contains files that an earlier run delivered before the asset failed at another export. */
  platformIds: { delivered?: readonly DeliveredFile[] };
}

/** Returns the files of this run and, for exports that delivered nothing in this run, those of earlier runs. */
export function deliveredFilesOf(
  asset: Pick<FinishedAsset, 'files' | 'platformIds'>,
): DeliveredFile[] {
  const {
    files,
    platformIds: { delivered = [] },
  } = asset;
  const current = new Set(files.map(exportOf));
  return [...files, ...delivered.filter((file) => !current.has(exportOf(file)))];
}

function exportOf({ delivery }: DeliveredFile): string {
  return fingerprintOf(delivery ?? '');
}

export class ExportTally {
  readonly #exports: readonly ExportMemo[];
  readonly #files = new Map<string, number>();
  readonly #failedCounts = new Map<string, number>();

  constructor(exports: readonly ExportMemo[] = []) {
    this.#exports = exports;
  }

  add({ failure, ...asset }: FinishedAsset): void {
    for (const file of deliveredFilesOf(asset)) {
      const delivery = exportOf(file);
      this.#files.set(delivery, (this.#files.get(delivery) ?? 0) + 1);
    }
    if (failure !== null)
      this.#failedCounts.set(failure.node, (this.#failedCounts.get(failure.node) ?? 0) + 1);
  }

  /** The counts of each export, in the order of the pipeline file. */
  get counts(): ExportCounts[] {
    return this.#exports.map(({ node, delivery, location }) => ({
      node,
      destination: locationOf(location),
      files: this.#files.get(delivery) ?? 0,
      failed: this.#failedCounts.get(node) ?? 0,
    }));
  }
}

/** Formats `12 files in local folder /srv/shop, 3 assets failed`. */
export function formatExport({ destination, files, failed }: ExportCounts): string {
  const suffix = failed > 0 ? `, ${formatCount(failed, 'asset')} failed` : '';
  return `${formatCount(files, 'file')} in ${destination ?? '?'}${suffix}`;
}
