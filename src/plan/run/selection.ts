// Which assets a person has selected for one run. Part of the run's input.

export interface Selection {
  /** Keys, paths or ids of assets, and globs over them. Absent means all. */
  only?: string[];
  /** CEL over the listed assets. Absent means all. */
  where?: string;
  /** Set to also process unchanged assets. */
  force?: true;
}
