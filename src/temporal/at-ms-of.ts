/** Converts a protobuf timestamp to epoch ms. Returns 0 for none. */
export function atMsOf(
  stamp: { seconds?: unknown; nanos?: number | null } | null | undefined,
): number {
  return Number(stamp?.seconds ?? 0) * 1_000 + (stamp?.nanos ?? 0) / 1e6;
}
