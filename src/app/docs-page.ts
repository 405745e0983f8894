import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { docsLinkOf } from '../failures/docs-link.ts';
import { packageRoot } from './package-root.ts';

/** Absolute file URL of a code's entry, which terminals can open. `--json` has the path within the package instead. */
export function docsPageUrl(code: string): string {
  const [path = '', anchor] = docsLinkOf(code).split('#');
  return `${pathToFileURL(join(packageRoot(), path)).href}#${anchor}`;
}
