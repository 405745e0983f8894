// A listing with its expected plan. The listing contains the paths of the plan.

export interface ExpectedPlan {
  /** Material → channel → path. */
  readonly materials?: Record<string, Record<string, string>>;
  readonly ignored?: string[];
  readonly packed?: string[];
  readonly unmatched?: string[];
  readonly skipped?: string[];
  readonly duplicates?: string[];
}

/** Title and expectation. */
export type Listing = readonly [title: string, wanted: ExpectedPlan];
