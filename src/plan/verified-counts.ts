// Counts of `--verify`. Types only.

/** Comparison by content of the assets that looked unchanged. */
export interface VerifiedCounts {
  assets: number;
  /** Files that were read, sources and delivered ones. */
  files: number;
  bytes: number;
  /** Assets whose source differs. */
  sources: number;
  /** Assets of which a delivered file differs, or is gone. */
  outputs: number;
  /** Assets whose record had no hash of the source to compare with; it has one now. */
  unknown: number;
}
