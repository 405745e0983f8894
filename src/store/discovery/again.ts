// Chooses the sources of a rerun: of all that its root lists, those that an earlier run has not delivered. Pure.
import { assetFailures } from '../../failures/assets.ts';
import type { Failure } from '../../plan/types.ts';
import { isCell, modelKeyOf } from '../records/asset-names.ts';
import { isSameSource } from '../records/source-version.ts';
import type { ManifestAsset } from '../runs/manifest.ts';
import { refusal } from './asset-keys.ts';
import { identityOf, type ListedSource } from './lister.ts';
import type { Undone } from './undone.ts';

/** Refusals that stand under the words for a source, where others stand under its id. */
const refusedByKey = /^(?:KEY_|OUTPUT_PATH_TAKEN$)/;

export class Again {
  readonly #run: string;
  /** By what tells a source from all others. */
  readonly #assets: ReadonlyMap<string, ManifestAsset>;
  /** Sources that never became assets, by the label or id that they stood under. */
  readonly #refused: ReadonlyMap<string, Failure | null>;
  /** Keys of assets; null where models are assets, which may get another key. */
  readonly #keys: ReadonlySet<string> | null;

  constructor(run: string, undone: readonly Undone[]) {
    this.#run = run;
    this.#assets = new Map(
      undone.flatMap(({ asset }) => (asset ? [[identityOf(asset.source), asset] as const] : [])),
    );
    const cells = undone.filter(({ asset }) => asset !== null && isCell(asset));
    this.#keys = cells.length > 0 ? new Set(cells.map(({ key }) => key)) : null;
    this.#refused = new Map(
      undone.flatMap(({ key, asset, failure }) => (asset ? [] : [[key, failure] as const])),
    );
  }

  /** Ids of what was taken from the platform; null where they do not tell all that is to be listed. */
  get ids(): string[] | null {
    const failures = [...this.#refused.values()];
    if (failures.some((failure) => refusedByKey.test(failure?.code ?? ''))) return null;
    const ids = [...this.#assets.values()].flatMap(({ source }) => source.id ?? []);
    return [...new Set([...ids, ...this.#refused.keys()])];
  }

  /** For models: takes only the colorways that were not delivered. */
  takesKey(key: string): boolean {
    return this.#keys === null || this.#keys.has(key);
  }

  takes({ unnamed }: ListedSource): boolean {
    const { id, label } = unnamed;
    return this.#assets.has(id) || this.#refused.has(id) || this.#refused.has(label);
  }

  /**
   * The source under the key that it had, and in the version that it had where nothing says that it is another:
   * one list tells a size that another leaves out.
   */
  asBefore(found: ListedSource): ListedSource {
    const before = this.#assets.get(found.unnamed.id);
    if (!before) return found;
    const { source } = before;
    const key = modelKeyOf(before);
    const isSame = isSameSource(source.version, found.source.version);
    return {
      ...found,
      unnamed: { ...found.unnamed, short: key, long: key },
      source: isSame ? { ...found.source, version: source.version } : found.source,
    };
  }

  /** Refusals that are about what it takes, and one for each source that is not there any more. */
  refusals(listed: readonly ListedSource[], refused: readonly Failure[], node: string): Failure[] {
    const labels = new Set([...this.#assets.keys(), ...this.#refused.keys()]);
    const gone = new Set(labels);
    for (const found of listed) {
      const { id, label } = found.unnamed;
      if (this.takes(found)) labels.add(label);
      gone.delete(id);
      gone.delete(label);
    }
    const ours = refused.filter(({ key }) => labels.has(key));
    for (const { key } of ours) gone.delete(key);
    const why = `it was taken by ${this.#run}, and is gone or not taken by the pipeline any more`;
    return [
      ...ours,
      ...[...gone].map((name) => refusal(assetFailures.SOURCE_GONE, name, node, why)),
    ];
  }
}
