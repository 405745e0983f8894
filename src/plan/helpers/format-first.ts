/** Formats the first `maxItems` names, and by default the number of the others: `a, b and 3 more`. */
export function formatFirst(
  names: readonly string[],
  maxItems: number,
  formatRest = (restCount: number) => ` and ${restCount} more`,
): string {
  const restCount = names.length - maxItems;
  const firstNames = names.slice(0, maxItems).join(', ');
  return restCount > 0 ? `${firstNames}${formatRest(restCount)}` : firstNames;
}

/** Formats `line 3`, or `lines 3, 4 and 2 more`. */
export function formatLines(lines: readonly number[], maxItems: number): string {
  return `${lines.length === 1 ? 'line' : 'lines'} ${formatFirst(lines.map(String), maxItems)}`;
}
