/** What the platform returned for an asset. Part of every update, so keep it small. Features declare their fields. */
export interface PlatformIds {
  /** Number of times that failed work of the platform was restarted. */
  retries?: number;
  /** Warnings about possible duplicates, one per line. The result of a step reports and removes them. */
  possibleDuplicate?: string;
  /** Message about an id that the platform also assigned to another asset. The step then fails the asset. */
  idConflict?: string;
  /** Set if an unfinished run had started to upload the file. This run continues that upload. */
  uploadStarted?: true;
  /** When the platform last created something for the asset, epoch ms. The result may not be visible everywhere yet. */
  lastCreatedAtMs?: number;
  /** Fields whose resources were created but are missing. The next run looks for them before it creates them again. */
  missingIds?: (keyof PlatformIds)[];
}
