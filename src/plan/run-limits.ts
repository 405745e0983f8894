// Caps that a run may not exceed.

/** As the file states them; `storage` is a size such as 20GB. */
export interface RunLimits {
  renders?: number | undefined;
  models?: number | undefined;
  projects?: number | undefined;
  requests?: number | undefined;
  storage?: string | undefined;
  /** Assets in flight at once: bounds no plan, only how much of a run goes on side by side. */
  inFlight?: number | undefined;
}
