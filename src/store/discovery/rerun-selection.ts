// Selects the sources of a rerun: those of the root's listing that an earlier run has not delivered. Pure.
import { assetFailures } from '../../failures/assets.ts';
import type { Failure } from '../../plan/types.ts';
import { isCell, modelKeyOf } from '../records/cell-keys.ts';
import { isSameSource } from '../records/source-version.ts';
import type { RunAsset } from '../runs/run-assets.ts';
import { refusal } from './asset-keys.ts';
import { type ListedSource, sourceIdOf } from './listed-source.ts';
import type { UnfinishedAsset } from './unfinished-assets.ts';

/** An asset whose key went to another object of the same name counts as refused, so that it gets another key. */
function withoutLostKey(one: UnfinishedAsset): UnfinishedAsset {
  const { asset, failure } = one;
  const { id } = asset?.source ?? {};
  if (failure?.code !== assetFailures.KEY_CLASH.code || id === undefined) return one;
  return { ...one, key: id, asset: null, failure: { ...failure, sourceId: id } };
}

export class RerunSelection {
  readonly #run: string;
  /** Assets by the identity of their source. */
  readonly #assets: ReadonlyMap<string, RunAsset>;
  /** Failures of the sources that never became assets, by label or id of the source. */
  readonly #refused: ReadonlyMap<string, Failure | null>;
  /** Keys of cells; null if models are assets, since their keys may change. */
  readonly #keys: ReadonlySet<string> | null;

  constructor(run: string, all: readonly UnfinishedAsset[]) {
    this.#run = run;
    const unfinished = all.map(withoutLostKey);
    this.#assets = new Map(
      unfinished.flatMap(({ asset }) =>
        asset ? [[sourceIdOf(asset.source), asset] as const] : [],
      ),
    );
    const cells = unfinished.filter(({ asset }) => asset !== null && isCell(asset));
    this.#keys = cells.length > 0 ? new Set(cells.map(({ key }) => key)) : null;
    this.#refused = new Map(
      unfinished.flatMap(({ key, asset, failure }) => (asset ? [] : [[key, failure] as const])),
    );
  }

  /** Ids of objects that were taken from the platform; null if the ids do not cover everything to be listed. */
  get ids(): string[] | null {
    const refused = [...this.#refused.values()].map((failure) => failure?.sourceId);
    const taken = [...this.#assets.values()].flatMap(({ source }) => source.id ?? []);
    const ids = refused.filter((id) => id !== undefined);
    return ids.length < refused.length ? null : [...new Set([...taken, ...ids])];
  }

  /** For a model with cells: true only for cells that were not delivered; if the model was refused, for all cells. */
  includesAsset(asset: ListedSource & { key: string }): boolean {
    const isOpen = this.#keys === null || this.#keys.has(asset.key);
    return this.includes(asset) && (isOpen || this.#wasRefused(asset));
  }

  includes(source: ListedSource): boolean {
    return this.#assets.has(source.unkeyed.id) || this.#wasRefused(source);
  }

  #wasRefused({ unkeyed }: ListedSource): boolean {
    return this.#refused.has(unkeyed.id) || this.#refused.has(unkeyed.label);
  }

  /** The source under its earlier key. An unchanged one keeps its version: not all listings show sizes. */
  withEarlierKey(found: ListedSource): ListedSource {
    const before = this.#assets.get(found.unkeyed.id);
    if (!before) return found;
    const { source } = before;
    const key = modelKeyOf(before);
    const isSame = isSameSource(source.version, found.source.version);
    return {
      ...found,
      unkeyed: { ...found.unkeyed, shortKey: key, longKey: key },
      source: isSame ? { ...found.source, version: source.version } : found.source,
    };
  }

  /** Failures of the selected sources, and one failure for each source that is no longer listed. */
  refusals(listed: readonly ListedSource[], refused: readonly Failure[], node: string): Failure[] {
    const labels = new Set([...this.#assets.keys(), ...this.#refused.keys()]);
    const missing = new Set(labels);
    for (const found of listed) {
      const { id, label } = found.unkeyed;
      if (this.includes(found)) labels.add(label);
      missing.delete(id);
      missing.delete(label);
    }
    const ours = refused.filter(({ key }) => labels.has(key));
    for (const { key } of ours) missing.delete(key);
    const why = `${this.#run} had taken it, but it is missing now or the pipeline no longer takes it`;
    return [
      ...ours,
      ...[...missing].map((name) => refusal(assetFailures.SOURCE_GONE, name, node, why)),
    ];
  }
}
