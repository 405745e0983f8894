// Fields of pipeline files that name something of this machine. The checker reads the `reference` mark.
import { z } from 'zod';
import { hostPattern } from '../plan/queues.ts';
import { variableName } from './secret-names.ts';

/** The name of a variable that holds a secret, so that nobody writes the secret itself there. */
export function secretName(description: string) {
  return z
    .string()
    .regex(
      variableName,
      'must be the name of an environment variable in capitals, never the secret itself',
    )
    .meta({ reference: 'environment', description });
}

/** Name of a machine, as its workers give it. */
export const hostName = z.string().regex(hostPattern, 'must be the name of a host, in one line');

/** A folder below something; no way leads out of it. */
export const relativeFolder = z
  .string()
  .regex(/^(?!\/)(?!.*(?:^|\/)\.\.(?:\/|$))[^\\:]+$/, 'must be a relative folder without ..');
