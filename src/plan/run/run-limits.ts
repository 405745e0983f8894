// Limits that a run may not exceed.

/** As the file states them; `storage` is a size such as 20GB. */
export interface RunLimits {
  renders?: number | undefined;
  models?: number | undefined;
  projects?: number | undefined;
  requests?: number | undefined;
  storage?: string | undefined;
}
