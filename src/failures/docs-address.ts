// Where the pages tell of a code. Pure.

/** Address of the line on a code in the docs: in the package, and below the address of a site made of them. */
export function docsOf(code: string): string {
  return `docs/errors.md#${anchorOf(code)}`;
}

/** Name of the place on the page of errors. */
export function anchorOf(code: string): string {
  return code.toLowerCase();
}
