// Two assets whose files would take one name: told before anything is paid. Pure.
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
  /** Key of the model that has it, with all of its colorways and views; absent: the asset has it alone. */
  model?: string;
}

/** The paths of an asset's files, as far as they are known before it is worked on. */
export type PathsAhead = (asset: Named) => readonly PathAhead[];

/** Holds a million names in few bytes each. */
export class PathHolders {
  readonly #pathsOf: PathsAhead;
  readonly #places = new Map<string, number>();
  /** Path in its place, a line break, and the key of its asset; neither has line breaks of its own. */
  readonly #taken = new NameTable((name) => foldPath(name.slice(0, name.indexOf('\n'))));

  constructor(pathsOf: PathsAhead = () => []) {
    this.#pathsOf = pathsOf;
  }

  /** Gives the asset its paths, or names the path that is another's, and whose. */
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
