// Finds the failures of past runs that have been repaired since, because a later delivery of the asset succeeded.
import type { Failure } from '../../plan/types.ts';
import { toUnkeyedFile } from '../../store/discovery/asset-keys.ts';
import { mapBounded } from '../../store/objects/map-bounded.ts';
import { PromiseCache } from '../../store/objects/promise-cache.ts';
import type { RecordEntry, RecordIndex } from '../../store/records/records.ts';
import { openStoreOfRun } from '../runs/open-run-store.ts';
import type { RunSnapshot } from '../runs/run-snapshot.ts';

/** Lists and reads the records of each pipeline only once, even if an asset failed in several runs. */
export class RepairedFailures {
  readonly #signal: AbortSignal;
  /** Indexes by pipeline and records location, because pipelines of the same name may have separate records. */
  readonly #indexes = new PromiseCache<RecordIndex>();
  /** When the delivery of each asset ended, epoch ms. Null if its record cannot be read, or is of another source. */
  readonly #finishedAtMs = new PromiseCache<number | null>();

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /**
   * Returns the keys of failures whose assets were delivered after the run had started, no matter by which run.
   * @throws RenderlineError if the run has no memo; ConnectorError if its records cannot be read
   */
  async keysOf(
    { run, memo, startedAtMs }: Pick<RunSnapshot, 'run' | 'memo' | 'startedAtMs'>,
    failures: readonly Pick<Failure, 'key'>[],
  ): Promise<ReadonlySet<string>> {
    if (failures.length === 0) return new Set();
    const { records } = openStoreOfRun({ run, memo });
    const id = JSON.stringify([memo?.pipeline, memo?.records]);
    const index = await this.#indexes.getOrStart(id, () => records.index(this.#signal));
    const keys = [...new Set(failures.map(({ key }) => key))];
    const readFinishedAtMs = async ({ name }: RecordEntry, key: string) => {
      const record = await records.read(name);
      const isSame = record?.key === key || record?.source.path === key;
      return isSame ? Date.parse(record.finishedAt) : null;
    };
    const findRepaired = async (key: string) => {
      // The failure of a refused file has the path of the file instead of a key.
      const entry = index.get(key) ?? index.get(toUnkeyedFile(key).shortKey);
      if (entry === null) return [];
      const finishedAtMs = await this.#finishedAtMs.getOrStart(`${id} ${key}`, () =>
        readFinishedAtMs(entry, key),
      );
      return finishedAtMs !== null && finishedAtMs > startedAtMs ? [key] : [];
    };
    const repaired = await mapBounded(keys, findRepaired, { signal: this.#signal });
    return new Set(repaired.flat());
  }
}
