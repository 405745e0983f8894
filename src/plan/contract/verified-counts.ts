// Counts that `--verify` reports. Types only.

/** Result of comparing unchanged assets by content. */
export interface VerifiedCounts {
  assets: number;
  /** Number of files that were read: sources and delivered files. */
  files: number;
  bytes: number;
  /** Number of assets whose source differs. */
  sources: number;
  /** Number of assets with a delivered file that differs or is missing. */
  outputs: number;
  /** Number of assets whose record had no hash of the source to compare with. The hash has been added. */
  unknown: number;
}
