/** Returns the length of the longest text, or 0 without texts. The list may have any length, unlike with `Math.max`. */
export function maxLengthOf(texts: readonly string[]): number {
  return texts.reduce((maxLength, { length }) => Math.max(maxLength, length), 0);
}
