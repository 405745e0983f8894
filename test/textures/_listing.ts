// A listing and what a plan should make of it; its paths are those it names.

export interface Wanted {
  /** Material → channel → path. */
  readonly materials?: Record<string, Record<string, string>>;
  readonly ignored?: string[];
  readonly packed?: string[];
  readonly unmatched?: string[];
  readonly skipped?: string[];
  readonly duplicates?: string[];
}

/** Title and expectation. */
export type Listing = readonly [title: string, wanted: Wanted];
