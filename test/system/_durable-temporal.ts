// A Temporal server with a database file and fixed ports, for tests that kill and restart it.
import { join } from 'node:path';
import { inject } from 'vitest';
import {
  type DurableTemporal,
  startDurableTemporal as start,
} from '../../scripts/chaos/temporal.ts';
import { tempFolder } from './_stack.ts';

export type { DurableTemporal };

export async function startDurableTemporal(
  dynamicConfig: Record<string, unknown> = {},
): Promise<DurableTemporal> {
  const dbFilename = join(await tempFolder('temporal'), 'temporal.db');
  return start({ binary: inject('temporalBinary'), dbFilename, dynamicConfig });
}
