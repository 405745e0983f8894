// Words of the platform on their way into messages, records and terminals: short, and nothing but text.

export const textAtMost = 600;

/** Lines, tabs and whatever steers a terminal. */
const controls = /[\p{Cc}\u2028\u2029]+/gu;

/** The text without control characters, and no longer than `max` characters. */
export function plainText(text: string, max = textAtMost): string {
  // Cut before it is looked through: nobody reads a megabyte.
  const clean = text
    .slice(0, 4 * max)
    .replace(controls, ' ')
    .trim();
  if (clean.length <= max && text.length <= 4 * max) return clean;
  // A pair of surrogates is not cut in two.
  return `${clean.slice(0, max - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
