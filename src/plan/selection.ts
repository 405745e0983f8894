// The assets that a person chose for one run. Part of its input.

export interface Selection {
  /** Keys, paths or ids of assets, and globs over them; absent: all. */
  only?: string[];
  /** CEL over the assets that are listed; absent: all. */
  where?: string;
  /** Also does what is unchanged. */
  force?: true;
}
