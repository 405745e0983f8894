// Formats lists for the terminal.

/** Lines after a label, which only the first line shows. */
export function labelLines(label: string, lines: readonly string[]): string[] {
  return lines.map((line, index) => `${index === 0 ? label : ' '.repeat(label.length)}${line}`);
}

/** The first `max` names, and an ellipsis if there are more. */
export function joinFirst(names: readonly string[], max: number): string {
  return `${names.slice(0, max).join(', ')}${names.length > max ? ', …' : ''}`;
}
