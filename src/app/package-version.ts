import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { asRecord } from '../api/unknown-values.ts';
import { packageRoot } from './package-root.ts';

export function packageVersion(): string {
  const text = readFileSync(join(packageRoot(), 'package.json'), 'utf8');
  return String(asRecord(JSON.parse(text))['version']);
}
