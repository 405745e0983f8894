// Links to the documentation of a failure code. Pure.

/** Path of a code's entry in the docs, relative to the package root and to the root of the docs site. */
export function docsLinkOf(code: string): string {
  return `docs/errors.md#${anchorOf(code)}`;
}

/** Anchor of a code on the page of errors. */
export function anchorOf(code: string): string {
  return code.toLowerCase();
}
