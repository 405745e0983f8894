// Reads the records of earlier deliveries of assets.
import type { AssetRecord } from '../../store/records/records.ts';
import type { ManifestAsset } from '../../store/runs/manifest-asset.ts';
import type { RunStore } from '../../store/runs/run-store.ts';

/** Reads each record at most once, because several checks of a plan need it. */
export class EarlierRecords {
  readonly #records: RunStore['records'];
  readonly #read = new Map<string, Promise<AssetRecord | null>>();

  constructor({ records }: Pick<RunStore, 'records'>) {
    this.#records = records;
  }

  /** Returns null if the asset was never delivered, or if its record is gone. */
  async read({ moved, previous }: EarlierNames): Promise<AssetRecord | null> {
    const name = moved?.record ?? previous?.[0];
    if (name === undefined) return null;
    const known = this.#read.get(name) ?? this.#records.read(name);
    this.#read.set(name, known);
    return known;
  }
}

export type EarlierNames = Pick<ManifestAsset, 'moved' | 'previous'>;
