/** Returns the last lines of a long output, for error messages. A line whose beginning does not fit is dropped. */
export function endOfText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const end = text.slice(-maxChars);
  return end.slice(end.indexOf('\n') + 1);
}
