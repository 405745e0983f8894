// Names of columns in expressions and file names.

/** How the heading of a column is written: `Colour name` as `colour_name`. */
export function identifierOf(heading: string): string {
  const plain = heading.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const name = plain.replace(/[^a-z0-9]+/g, '_').replace(/^_+|_+$/g, '');
  return /^\d/.test(name) ? `_${name}` : name;
}
