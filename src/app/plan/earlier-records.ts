// Reads the records of earlier deliveries of assets.
import { memoize } from '../../plan/helpers/memoized.ts';
import type { AssetRecord } from '../../store/records/records.ts';
import type { ManifestAsset } from '../../store/runs/manifest-asset.ts';
import type { RunStore } from '../../store/runs/run-store.ts';

/** Reads each record at most once, because several checks of a plan need it. */
export class EarlierRecords {
  readonly #read: (name: string) => Promise<AssetRecord | null>;

  constructor({ records }: Pick<RunStore, 'records'>) {
    this.#read = memoize((name) => records.read(name));
  }

  /** Returns the record of the asset's earlier delivery; null if it was never delivered, or if the record is gone. */
  async read({ moved, previous }: EarlierNames): Promise<AssetRecord | null> {
    const name = moved?.record ?? previous?.[0];
    return name === undefined ? null : this.#read(name);
  }
}

export type EarlierNames = Pick<ManifestAsset, 'moved' | 'previous'>;
