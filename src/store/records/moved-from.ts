// The record of a source under the key that it had before it was moved or renamed.

export interface MovedFrom {
  /** Key that the source had. */
  key: string;
  /** Name of its record, which ends once that of the new key is written. */
  record: string;
  /** Nothing is delivered under that key any more. */
  isGone: boolean;
}
