import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { docsLinkOf } from '../failures/docs-link.ts';
import { findPackageRoot } from './find-package-root.ts';

/** Returns the absolute file URL of a code's entry, for terminals. `--json` has the path in the package instead. */
export function docsUrlOf(code: string, docs = docsLinkOf(code)): string {
  const [path = '', anchor] = docs.split('#');
  return `${pathToFileURL(join(findPackageRoot(), path)).href}#${anchor}`;
}
