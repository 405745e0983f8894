/**
 * Ids and facts that the platform gave us for an asset so far. They travel in every activity input, so they stay
 * small. These fields are for all; each capability adds its own in its `refs.ts`.
 */
export interface Refs {
  /** Times the platform's failed work was started again. */
  retries?: number;
  /** Words for work that may have been done twice; a step's result says them and lets go of them. */
  perhapsTwice?: string;
  /** Words for an id that the platform has given to another asset too; a result that has them fails the asset. */
  idOfAnother?: string;
  /** A run that did not come to its end had begun to take its file up: records that it has made are filled. */
  begun?: true;
  /** When the platform has last made something for the asset, ms: it may not show everywhere yet. */
  madeAtMs?: number;
  /** Refs that named what was not there though it had been made: the next run looks again before it does without. */
  missing?: (keyof Refs)[];
}
