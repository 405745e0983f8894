// Counts of `--verify`. Types only.

/** Result of comparing unchanged assets by content. */
export interface VerifiedCounts {
  assets: number;
  /** Files that were read: sources and delivered files. */
  files: number;
  bytes: number;
  /** Assets whose source differs. */
  sources: number;
  /** Assets with a delivered file that differs or is missing. */
  outputs: number;
  /** Assets whose record had no hash of the source to compare with. The hash has been added. */
  unknown: number;
}
