// Selects the sources of a rerun: the sources in the root's listing that an earlier run has not delivered. Pure.
import { assetFailures } from '../../failures/assets.ts';
import type { Failure } from '../../plan/types.ts';
import { isCell, modelKeyOf } from '../records/cell-keys.ts';
import { isSameSource } from '../records/source-version.ts';
import type { RunAsset } from '../runs/run-assets.ts';
import { sourceFailure } from './asset-keys.ts';
import { type ListedSource, sourceIdOf } from './listed-source.ts';
import type { UnfinishedAsset } from './unfinished-assets.ts';

/** An asset whose key was assigned to another object with its name counts as refused, so that its key is replaced. */
function removeLostKey(unfinishedAsset: UnfinishedAsset): UnfinishedAsset {
  const { asset, failure } = unfinishedAsset;
  const { id } = asset?.source ?? {};
  if (failure?.code !== assetFailures.KEY_CLASH.code || id === undefined) return unfinishedAsset;
  return { ...unfinishedAsset, key: id, asset: null, failure: { ...failure, sourceId: id } };
}

export class RerunSelection {
  readonly #run: string;
  /** Assets by the identity of their source. */
  readonly #assets: ReadonlyMap<string, RunAsset>;
  /** Failures of the sources that never became assets, by label or id of the source. */
  readonly #failuresBySource: ReadonlyMap<string, Failure | null>;
  /** Keys of cells. Null if models are assets, since their keys may change. */
  readonly #keys: ReadonlySet<string> | null;

  constructor(run: string, unfinishedAssets: readonly UnfinishedAsset[]) {
    this.#run = run;
    const unfinished = unfinishedAssets.map(removeLostKey);
    const assets = unfinished.flatMap(({ asset }) => asset ?? []);
    this.#assets = new Map(assets.map((asset) => [sourceIdOf(asset.source), asset]));
    const cells = assets.filter(isCell);
    this.#keys = cells.length > 0 ? new Set(cells.map(({ key }) => key)) : null;
    const refused = unfinished.filter(({ asset }) => asset === null);
    this.#failuresBySource = new Map(refused.map(({ key, failure }) => [key, failure]));
  }

  /** Ids of objects that were taken from the platform. Null if the ids do not cover everything to be listed. */
  get ids(): string[] | null {
    const sourceIds = [...this.#failuresBySource.values()].map((failure) => failure?.sourceId);
    const takenIds = [...this.#assets.values()].flatMap(({ source }) => source.id ?? []);
    const ids = sourceIds.filter((id) => id !== undefined);
    return ids.length < sourceIds.length ? null : [...new Set([...takenIds, ...ids])];
  }

  /** For a model with cells: true for all cells if the model was refused, otherwise for undelivered cells. */
  hasAsset(asset: ListedSource & { key: string }): boolean {
    const isOpen = this.#keys === null || this.#keys.has(asset.key);
    return this.hasSource(asset) && (isOpen || this.#wasRefused(asset));
  }

  hasSource(source: ListedSource): boolean {
    return this.#assets.has(source.unkeyed.id) || this.#wasRefused(source);
  }

  #wasRefused({ unkeyed }: ListedSource): boolean {
    return this.#failuresBySource.has(unkeyed.id) || this.#failuresBySource.has(unkeyed.label);
  }

  /** Returns the source under its earlier key. Keeps the version of an unchanged one, as some listings lack sizes. */
  withEarlierKey(listedSource: ListedSource): ListedSource {
    const earlierAsset = this.#assets.get(listedSource.unkeyed.id);
    if (!earlierAsset) return listedSource;
    const { source } = earlierAsset;
    const key = modelKeyOf(earlierAsset);
    const isSame = isSameSource(source.version, listedSource.source.version);
    return {
      ...listedSource,
      unkeyed: { ...listedSource.unkeyed, shortKey: key, longKey: key },
      source: isSame ? { ...listedSource.source, version: source.version } : listedSource.source,
    };
  }

  /** Returns the failures of the selected sources, and one failure for each source that is no longer listed. */
  refusals(
    listedSources: readonly ListedSource[],
    failures: readonly Failure[],
    node: string,
  ): Failure[] {
    const labels = new Set([...this.#assets.keys(), ...this.#failuresBySource.keys()]);
    const missingLabels = new Set(labels);
    for (const listedSource of listedSources) {
      const { id, label } = listedSource.unkeyed;
      if (this.hasSource(listedSource)) labels.add(label);
      missingLabels.delete(id);
      missingLabels.delete(label);
    }
    const ownFailures = failures.filter(({ key }) => labels.has(key));
    for (const { key } of ownFailures) missingLabels.delete(key);
    const reason = `run ${this.#run} included this source, but the source is now missing or the pipeline no longer selects it`;
    return [
      ...ownFailures,
      ...[...missingLabels].map((name) =>
        sourceFailure(assetFailures.SOURCE_GONE, name, node, reason),
      ),
    ];
  }
}
