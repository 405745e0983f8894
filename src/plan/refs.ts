/**
 * Ids and facts that the platform has returned for an asset. They are in every activity input, so they must stay
 * small. These fields are shared; each feature adds its own in its `refs.ts`.
 */
export interface Refs {
  /** Number of times that failed work of the platform was restarted. */
  retries?: number;
  /** Warning about a possible duplicate. The result of a step reports and removes it. */
  perhapsTwice?: string;
  /** Message about an id that the platform has also given to another asset. A result with this message fails the asset. */
  idOfAnother?: string;
  /** An unfinished run had started to upload the file, so existing records are completed. */
  begun?: true;
  /** When the platform last created something for the asset, ms. The result may not be visible everywhere yet. */
  madeAtMs?: number;
  /** Ids whose resources were missing although they had been created. The next run checks again before it gives them up. */
  missing?: (keyof Refs)[];
}
