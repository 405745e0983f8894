/** Returns the first lines, followed by a line with the number of omitted ones if there are more than `maxLines`. */
export function limitLines(
  lines: readonly string[],
  maxLines: number,
  formatRest: (restCount: number) => string,
): string[] {
  const restCount = lines.length - maxLines;
  return restCount > 0 ? [...lines.slice(0, maxLines), formatRest(restCount)] : [...lines];
}
