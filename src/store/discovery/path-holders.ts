// Detects before anything is paid that the files of two assets would have the same name. Pure.
import { foldPath } from '../../language/naming.ts';
import type { AssetSource } from '../../plan/types.ts';
import { NameTable } from '../objects/name-table.ts';

interface Named {
  key: string;
  source: AssetSource;
}

export interface PathAhead {
  /** Identity of the destination. */
  place: string;
  path: string;
  /** Key of the model that owns the path for all of its colorways and views; absent: the asset owns the path alone. */
  model?: string;
}

/** The paths of an asset's files, as far as they are known in advance. */
export type PathsAhead = (asset: Named) => readonly PathAhead[];

/** Holds a million names in few bytes each. */
export class PathHolders {
  readonly #pathsOf: PathsAhead;
  readonly #places = new Map<string, number>();
  /** Destination and path, a line break, and the key of the asset; neither part contains a line break. */
  readonly #taken = new NameTable((name) => foldPath(name.slice(0, name.indexOf('\n'))));

  constructor(pathsOf: PathsAhead = () => []) {
    this.#pathsOf = pathsOf;
  }

  /** Claims the paths of an asset; if another asset has one of them, returns the path and its owner. */
  take(asset: Named): { path: string; holder: string } | null {
    const paths = this.#pathsOf(asset).map(({ place, path, model = asset.key }) => ({
      path,
      own: model,
      full: `${this.#numberOf(place)}/${path}`,
    }));
    const free: string[] = [];
    for (const { path, full, own } of paths) {
      const found = this.#taken.find(foldPath(full));
      const holder = found?.slice(found.indexOf('\n') + 1);
      if (holder === undefined) free.push(`${full}\n${own}`);
      else if (holder !== own) return { path, holder };
    }
    for (const taken of free) this.#taken.add(taken);
    return null;
  }

  #numberOf(place: string): number {
    const number = this.#places.get(place) ?? this.#places.size;
    this.#places.set(place, number);
    return number;
  }
}
