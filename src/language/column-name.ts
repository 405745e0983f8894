// Names of columns in expressions and file names.

/** Returns the identifier for a column's heading: `colour_name` for `Colour name`. */
export function identifierOf(heading: string): string {
  // Headings that are copied from web pages contain characters without a width.
  const visible = heading.replace(/\p{Default_Ignorable_Code_Point}/gu, '');
  const plain = visible.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const name = plain.replace(/[^a-z0-9]+/g, '_').replace(/^_+|_+$/g, '');
  return /^\d/.test(name) ? `_${name}` : name;
}
