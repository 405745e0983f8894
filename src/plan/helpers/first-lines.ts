/** Returns the first lines, followed by a line with the number of the others if there are more than `max`. */
export function firstLines(
  lines: readonly string[],
  max: number,
  formatRest: (restCount: number) => string,
): string[] {
  const restCount = lines.length - max;
  return restCount > 0 ? [...lines.slice(0, max), formatRest(restCount)] : [...lines];
}
