import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { docsLinkOf } from '../failures/docs-link.ts';
import { findPackageRoot } from './find-package-root.ts';

/** Absolute file URL of a code's entry, which terminals can open. `--json` has the path within the package instead. */
export function docsUrlOf(code: string): string {
  const [path = '', anchor] = docsLinkOf(code).split('#');
  return `${pathToFileURL(join(findPackageRoot(), path)).href}#${anchor}`;
}
