// The part of an earlier run that a run does again. Part of its input.

/** The assets of an earlier run that a run does again. They are chosen when it finds its assets: a list may be long. */
export interface Rerun {
  /** The earlier run, which has ended. */
  of: string;
  /** Only failed assets; else all that were not delivered. */
  failed: boolean;
  /** CEL over the undelivered assets; null: all of them. */
  where: string | null;
  /** Plan of the earlier run, or of the file as it was when a person asked. */
  plan: 'pinned' | 'latest';
}
