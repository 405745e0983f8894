// Names of columns in expressions and file names.

/** Returns the identifier for a column's heading: `colour_name` for `Colour name`. */
export function identifierOf(heading: string): string {
  const plain = heading.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const name = plain.replace(/[^a-z0-9]+/g, '_').replace(/^_+|_+$/g, '');
  return /^\d/.test(name) ? `_${name}` : name;
}
