/** The first `max` names, and the number of the others: `a, b and 3 more`. */
export function formatFirst(names: readonly string[], max: number): string {
  const rest = names.length - max;
  const shown = names.slice(0, max).join(', ');
  return rest > 0 ? `${shown} and ${rest} more` : shown;
}
