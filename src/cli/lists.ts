// Formats lists for the terminal.

/** Formats lines, with a label in front of the first one. */
export function labelLines(label: string, lines: readonly string[]): string[] {
  return lines.map((line, index) => `${index === 0 ? label : ' '.repeat(label.length)}${line}`);
}
