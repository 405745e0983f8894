// A Google Cloud Storage bucket. Credentials come from Google's own chain, or from a key file given by a variable.

import { z } from 'zod';
import { secretName } from '../settings/file-fields.ts';
import { BucketConnector } from './bucket/bucket-connector.ts';
import { defineConnector } from './connector-type.ts';
import { diagnoseGcs } from './gcs-errors.ts';
import { endpointField, endpointOf, prefixField, readSecretField } from './spec-fields.ts';

export const gcs = defineConnector({
  type: 'gcs',
  summary: 'A Google Cloud Storage bucket.',
  docs: `Credentials are the application default credentials in the environment of the worker and of the command (\`GOOGLE_APPLICATION_CREDENTIALS\`, a login of \`gcloud\`, the role of the machine), or come from the key file whose path is in the variable that \`keyFileFrom\` names. The credentials must allow listing, reading, creating and deleting objects of the bucket.

Requests to an \`endpoint\` without \`keyFileFrom\` carry no credentials. With \`keyFileFrom\`, the operator allows the address in [\`RENDERLINE_ALLOW_HOSTS\`](deployment.md#where-credentials-go), unless it is one of Google's. Object generations tell versions apart.`,
  example: 'pictures: { type: gcs, bucket: acme-media, prefix: shoes/spring }',
  config: z.strictObject({
    bucket: z
      .string()
      .regex(
        /^[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]$/,
        'must be the name of a bucket: 3-222 lowercase letters, digits, dots, dashes and underscores',
      )
      .describe('Name of the bucket, which must exist.')
      .meta({ reference: 'bucket' }),
    prefix: prefixField('bucket'),
    endpoint: endpointField('Address of an emulator or a proxy instead of Google’s.').optional(),
    keyFileFrom: secretName(
      'Environment variable that holds the path of a key file. Without this field, application default credentials are used.',
    ).optional(),
  }),
  vendorHosts: /^(?:www|storage(?:\.mtls|\.[a-z0-9-]+\.rep)?)\.googleapis\.com$/,
  open(spec, env) {
    const { bucket, prefix = '', keyFileFrom = 'GOOGLE_APPLICATION_CREDENTIALS' } = spec;
    const address = endpointOf(spec, env);
    const hostLabel = address === undefined ? '' : ` at ${new URL(address).host}`;
    return new BucketConnector({
      prefix,
      description: `GCS bucket ${[bucket, prefix].filter((part) => part !== '').join('/')}${hostLabel}`,
      terms: { bucket: 'bucket', credentials: `${keyFileFrom}, the path of a key file` },
      open: async () => {
        const keyFile = readSecretField(spec, 'keyFileFrom', env);
        const { openGcsBucket } = await import('./gcs-bucket.ts');
        return openGcsBucket({ bucket, endpoint: address, keyFile });
      },
      diagnose: diagnoseGcs,
    });
  },
});
