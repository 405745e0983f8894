// The fields of each type of connector in a pipeline file. None of them holds a secret.
import { z } from 'zod';
import { hostName, secretName } from '../language/fields.ts';

/** A folder below something; no way leads out of it. */
export const relativeFolder = z
  .string()
  .regex(/^(?!\/)(?!.*(?:^|\/)\.\.(?:\/|$))[^\\:]+$/, 'must be a relative folder without ..');

const Local = z.strictObject({
  type: z.literal('local').describe('A folder of this machine.'),
  path: z
    .string()
    .min(1)
    .describe('Folder; a relative one begins at the folder of this file.')
    .meta({ reference: 'folder' }),
  host: hostName
    .describe(
      'The machine that has this folder, by the name of its workers (`renderline worker --host`); a run finds out unless given.',
    )
    .optional(),
});

function endpoint(description: string) {
  return z
    .string()
    .regex(
      /^https?:\/\/[A-Za-z0-9.\-_[\]:]+\/?[A-Za-z0-9._/-]*$/,
      'must be an address such as https://storage.example.com, without credentials',
    )
    .meta({ reference: 'address', description });
}

const prefix = relativeFolder.describe('Folder in the bucket; all of it unless given.').optional();

const S3 = z.strictObject({
  type: z.literal('s3').describe('A bucket of Amazon S3, or of a store that speaks its language.'),
  bucket: z
    .string()
    .regex(
      /^[A-Za-z0-9][A-Za-z0-9._-]{1,62}$/,
      'must be the name of a bucket: 2-63 letters, digits, dots, dashes and underscores',
    )
    .describe('Name of the bucket, which must be there.')
    .meta({ reference: 'bucket' }),
  prefix,
  region: z
    .string()
    .regex(/^[a-z0-9-]{2,32}$/, 'must be a region such as eu-central-1')
    .describe('Region of the bucket; that of the environment unless given.')
    .optional(),
  endpoint: endpoint('Address of a store other than Amazon’s.').optional(),
  pathStyle: z
    .boolean()
    .describe('Puts the bucket into the path instead of the host name; most own stores need it.')
    .optional(),
});

const Sftp = z
  .strictObject({
    type: z.literal('sftp').describe('A folder on an SFTP server.'),
    host: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9.:-]{0,252}$/, 'must be a host name or address')
      .describe('Name or address of the server.')
      .meta({ reference: 'bucket' }),
    port: z.int().min(1).max(65_535).describe('22 unless given.').optional(),
    user: z.string().min(1).max(100).describe('Name to log in with.'),
    path: z
      .string()
      .min(1)
      .max(1_000)
      .describe('Folder on the server; a relative one begins where the login lands.'),
    hostKey: z
      .string()
      .regex(
        /^SHA256:[A-Za-z0-9+/]{43}$/,
        'must be a fingerprint as `ssh-keygen -lf` shows it: SHA256: and 43 characters',
      )
      .describe('Fingerprint of the server; without it no server is trusted.')
      .optional(),
    privateKeyFrom: secretName(
      'Environment variable that holds the private key, unencrypted.',
    ).optional(),
    passwordFrom: secretName('Environment variable that holds the password.').optional(),
  })
  .refine(
    (spec) => spec.privateKeyFrom !== undefined || spec.passwordFrom !== undefined,
    'needs `privateKeyFrom` or `passwordFrom`',
  );

const Azure = z.strictObject({
  type: z.literal('azure').describe('A container of Azure Blob Storage.'),
  container: z
    .string()
    .regex(
      /^[a-z0-9$][a-z0-9-]{2,62}$/,
      'must be the name of a container: 3-63 small letters, digits and dashes',
    )
    .describe('Name of the container, which must be there.')
    .meta({ reference: 'bucket' }),
  prefix: relativeFolder.describe('Folder in the container; all of it unless given.').optional(),
  connectionStringFrom: secretName(
    'Environment variable that holds the connection string; AZURE_STORAGE_CONNECTION_STRING unless given.',
  ).optional(),
});

const Gcs = z.strictObject({
  type: z.literal('gcs').describe('A bucket of Google Cloud Storage.'),
  bucket: z
    .string()
    .regex(
      /^[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]$/,
      'must be the name of a bucket: 3-222 small letters, digits, dots, dashes and underscores',
    )
    .describe('Name of the bucket, which must be there.')
    .meta({ reference: 'bucket' }),
  prefix,
  endpoint: endpoint('Address of an emulator or a proxy instead of Google’s.').optional(),
  keyFileFrom: secretName(
    'Environment variable that holds the path of a key file; application default credentials unless given.',
  ).optional(),
});

export const Connector = z
  .discriminatedUnion('type', [Local, S3, Sftp, Azure, Gcs])
  .describe('A place where files come from or go to.');
export type Connector = z.output<typeof Connector>;
