// Links to the documentation of a failure code. Pure.

/** Section of the docs about codes without an entry of their own, because only the platform knows them. */
export const platformCodesLink = 'docs/errors.md#codes-of-the-platform';

/** Returns the path of a code's entry in the docs, relative to the package root and to the root of the docs site. */
export function docsLinkOf(code: string): string {
  return `docs/errors.md#${anchorOf(code)}`;
}

/** Returns the anchor of a code on the page of errors. */
export function anchorOf(code: string): string {
  return code.toLowerCase();
}
