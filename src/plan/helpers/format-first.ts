/** The first `max` names, and the number of the others: `a, b and 3 more`. */
export function formatFirst(names: readonly string[], max: number): string {
  const restCount = names.length - max;
  const firstNames = names.slice(0, max).join(', ');
  return restCount > 0 ? `${firstNames} and ${restCount} more` : firstNames;
}
