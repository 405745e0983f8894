// The record that a source had under its previous key, before it was moved or renamed.

export interface MovedFrom {
  key: string;
  /** Name of the previous record, which is deleted once the record under the new key is written. */
  record: string;
  /** Nothing is delivered under the previous key any more. */
  isKeyUnused: boolean;
}
