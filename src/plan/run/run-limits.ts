/** `limits` of a pipeline file or a command. `storage` is a size such as 20GB. */
export interface RunLimits {
  renders?: number | undefined;
  models?: number | undefined;
  projects?: number | undefined;
  requests?: number | undefined;
  storage?: string | undefined;
}
