/** Returns the difference between two readings of counters, by name. Counters that have not changed are left out. */
export function countsSince(
  before: Readonly<Record<string, number>>,
  after: Readonly<Record<string, number>>,
): Record<string, number> {
  const differences = Object.entries(after).map(([name, count]) => [
    name,
    count - (before[name] ?? 0),
  ]);
  return Object.fromEntries(differences.filter(([, count]) => count !== 0));
}
