import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { asRecord } from '../api/unknown-values.ts';
import { findPackageRoot } from './find-package-root.ts';

export function readPackageVersion(): string {
  const text = readFileSync(join(findPackageRoot(), 'package.json'), 'utf8');
  return String(asRecord(JSON.parse(text))['version']);
}
