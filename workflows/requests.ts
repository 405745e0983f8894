// Adds request counts by operation.
export function addRequests(into: Record<string, number>, more: Record<string, number>): void {
  for (const [operation, count] of Object.entries(more)) {
    into[operation] = (into[operation] ?? 0) + count;
  }
}
