// Fields of pipeline files that refer to something on this machine. The compiler reads their `reference` metadata.
import { z } from 'zod';
import { hostPattern } from '../plan/run/queues.ts';
import { variableName } from './secrets/secret-names.ts';

/** Defines the name of a secret's environment variable. The pattern rejects most secrets written there by mistake. */
export function secretName(description: string) {
  return z
    .string()
    .regex(
      variableName,
      'must be the uppercase name of an environment variable, never the secret itself',
    )
    .meta({ reference: 'environment', description });
}

/** Name of a host, as its workers report it. */
export const hostName = z.string().regex(hostPattern, 'must be a host name in one line');

/** Start of a URL. A drive letter of Windows is not a scheme. */
export const urlStart = /^\w[\w+.-]+:\/\//;

/** Path of a folder. A URL would be taken for a relative path, and then be shown with its password. */
export const folderPath = z
  .string()
  .min(1)
  .regex(new RegExp(`^(?!${urlStart.source.slice(1)})`), 'must be a path, not a URL');

/** A relative folder that cannot lead out of its parent. */
export const relativeFolder = z
  .string()
  .regex(/^(?!\/)(?!.*(?:^|\/)\.\.(?:\/|$))[^\\:]+$/, 'must be a relative folder without ..');
