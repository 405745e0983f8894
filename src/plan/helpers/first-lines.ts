/** Returns the first lines, followed by a line with the number of the others if there are more than `max`. */
export function firstLines(
  lines: readonly string[],
  max: number,
  formatRest: (rest: number) => string,
): string[] {
  const rest = lines.length - max;
  return rest > 0 ? [...lines.slice(0, max), formatRest(rest)] : [...lines];
}
