// The `start:` of a file, which defines which programs may start its runs over HTTP and how they identify themselves.
import { z } from 'zod';
import { secretName } from '../settings/file-fields.ts';

/** Maximum number of names in a list. Two are needed while a secret is being replaced, and more for several callers. */
const maxNames = 10;

function nameListField(description: string) {
  const nameSchema = secretName(description);
  return z
    .union([nameSchema, z.array(nameSchema).min(1).max(maxNames)], {
      error: 'must be the name of an environment variable, or a list of names',
    })
    .optional()
    .describe(description);
}

const HttpStart = z
  .strictObject({
    secretFrom: nameListField(
      'Environment variables of the receiver that contain the secrets with which callers sign; each secret is accepted.',
    ),
    tokenFrom: nameListField(
      'Environment variables of the receiver that contain the bearer tokens of callers; each token is accepted.',
    ),
    perMinute: z
      .int()
      .min(1)
      .max(10_000)
      .default(60)
      .describe(
        'Requests per minute that each secret or token may send to start runs. The limit for reads is ten times as high.',
      ),
  })
  .refine((fields) => fields.secretFrom !== undefined || fields.tokenFrom !== undefined, {
    message: 'needs `secretFrom`, `tokenFrom` or both',
  })
  .describe('Runs may be started by HTTP, through a receiver with `--allow-runs`.');

export const Start = z
  .strictObject({ http: HttpStart })
  .describe('How other programs may start runs, once the file is applied with `renderline apply`.');
export type Start = z.output<typeof Start>;

/** Returns the names in a field that contains either one name or a list. */
export function namesOf(field: string | readonly string[] | undefined): readonly string[] {
  return field === undefined ? [] : [field].flat();
}
