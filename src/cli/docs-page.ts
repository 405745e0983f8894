// Where people find the pages that came with the program.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { docsOf } from '../failures/docs-address.ts';
import { packageRoot } from './package-root.ts';

/** Address of a code's line, which terminals open: `--json` has it within the package, the same on every machine. */
export function docsPage(code: string): string {
  const [path = '', place] = docsOf(code).split('#');
  return `${pathToFileURL(join(packageRoot(), path)).href}#${place}`;
}
