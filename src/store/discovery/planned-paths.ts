import { foldPath } from '../../language/naming/naming.ts';
import type { AssetSource, DeliveredFile } from '../../plan/types.ts';
import { NameTable } from '../objects/name-table.ts';

interface KeyedSource {
  key: string;
  source: AssetSource;
}

export interface PlannedPath {
  connector: string;
  /** The settings of the connector. Two connectors may have the same. */
  destination: string;
  path: string;
  /** Key of the model that owns the path for all of its cells. If absent, the asset owns the path alone. */
  model?: string;
  /** True if old files stay, so that a path is free only once its owner is withdrawn. */
  keepsOldFiles?: true;
}

/** The paths of an asset's files, as far as they are known in advance. */
export type PlanPaths = (asset: KeyedSource) => readonly PlannedPath[];

/** The planned paths of all assets. Paths are stored in a few bytes each, since there may be a million. */
export class PlannedPaths {
  readonly #pathsOf: PlanPaths;
  readonly #destinations = new Map<string, number>();
  /** Destination and path, a line break, and the key of the owner. Neither part contains a line break. */
  readonly #owners = new NameTable((name) => foldPath(name.slice(0, name.indexOf('\n'))));

  constructor(pathsOf: PlanPaths = () => []) {
    this.#pathsOf = pathsOf;
  }

  /** Claims the paths of an asset and returns null. If one has another owner, claims none and returns that path. */
  take(asset: KeyedSource): { path: string; owner: string } | null {
    const paths = this.#ownedPathsOf(asset);
    for (const { path, owner, own } of paths)
      if (owner !== undefined && owner !== own) return { path, owner };
    for (const { full, owner, own } of paths)
      if (owner === undefined) this.#owners.add(`${full}\n${own}`);
    return null;
  }

  /** Returns the paths of an asset that have another owner, with that owner. Claims none. */
  findTaken(asset: KeyedSource): (PlannedPath & { owner: string })[] {
    return this.#ownedPathsOf(asset).flatMap(({ own, owner, full: _full, ...planned }) =>
      owner === undefined || owner === own ? [] : { ...planned, owner },
    );
  }

  /** Returns the paths of an asset, with their owner so far and the key that would own them. */
  #ownedPathsOf(asset: KeyedSource) {
    return this.#pathsOf(asset).map((planned) => {
      const { destination, path, model: own = asset.key } = planned;
      const full = `${this.#numberOf(destination)}/${path}`;
      const entry = this.#owners.find(foldPath(full));
      return { ...planned, full, own, owner: entry?.slice(entry.indexOf('\n') + 1) };
    });
  }

  #numberOf(destination: string): number {
    const number = this.#destinations.get(destination) ?? this.#destinations.size;
    this.#destinations.set(destination, number);
    return number;
  }
}

/** True if the file may have the planned path. Its first placeholder and all that follows count as equal. */
export function mayHaveName({ path }: Pick<DeliveredFile, 'path'>, plannedPath: string): boolean {
  const [fixedPart = ''] = plannedPath.split('{{');
  return foldPath(path).startsWith(foldPath(fixedPart));
}
