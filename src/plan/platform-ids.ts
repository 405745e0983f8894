/**
 * Ids and facts that the platform has returned for an asset. They are in every activity input, so they must stay
 * small. These fields are shared; each feature adds its own in its `platformIds.ts`.
 */
export interface PlatformIds {
  /** Number of times that failed work of the platform was restarted. */
  retries?: number;
  /** Warning about a possible duplicate. The result of a step reports and removes it. */
  possibleDuplicate?: string;
  /** Message about an id that the platform has also given to another asset. A result with this message fails the asset. */
  idConflict?: string;
  /** An unfinished run had started to upload the file, so existing records are completed. */
  uploadStarted?: true;
  /** When the platform last created something for the asset, ms. The result may not be visible everywhere yet. */
  lastCreatedAtMs?: number;
  /** Ids whose resources were missing although they had been created. The next run checks again before it gives them up. */
  missingIds?: (keyof PlatformIds)[];
}
