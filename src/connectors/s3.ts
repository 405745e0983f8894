// A bucket on Amazon S3 or a compatible store. Credentials come from AWS's chain: variables, profiles, roles.

import { z } from 'zod';
import { asRecord } from '../api/unknown-values.ts';
import { BucketConnector } from './bucket/bucket-connector.ts';
import { diagnoseResponse, findStoreErrorKind } from './bucket/response-codes.ts';
import { type Diagnosis, diagnoseNetworkError } from './bucket/store-errors.ts';
import { defineConnector } from './connector-type.ts';
import { endpointField, endpointOf, prefixField } from './spec-fields.ts';

export const s3 = defineConnector({
  type: 's3',
  summary: 'A bucket of Amazon S3 or of an S3-compatible store.',
  docs: `Credentials come from the default AWS credential chain in the environment of the worker and of the command: \`AWS_ACCESS_KEY_ID\` and \`AWS_SECRET_ACCESS_KEY\` (and \`AWS_SESSION_TOKEN\`), \`AWS_PROFILE\`, single sign-on, a web identity, the role of the machine.

The credentials must be allowed \`s3:ListBucket\` on the bucket, and \`s3:GetObject\`, \`s3:PutObject\` and \`s3:DeleteObject\` below the prefix. Archives of more than 5,000 MiB are uploaded in parts, which needs \`s3:AbortMultipartUpload\` too; let a lifecycle rule delete the parts that a worker leaves when it is killed.

For your own store set \`endpoint\`, and usually \`pathStyle: true\`. The operator sets the same address, in \`AWS_ENDPOINT_URL_S3\` with the credentials, or in [\`RENDERLINE_ALLOW_HOSTS\`](deployment.md#where-credentials-go); an address that is only in a file receives no credentials (\`ENDPOINT_NOT_ALLOWED\`). If \`AWS_ENDPOINT_URL_S3\` is set, a file needs no \`endpoint\`.

Records need conditional writes (\`If-None-Match: *\`); a store that ignores that header is refused by its first run, and by \`renderline doctor FILE\`, before anything is paid for (\`RECORDS_UNSAFE\`).`,
  example: 'pictures: { type: s3, bucket: acme-media, prefix: shoes/spring, region: eu-central-1 }',
  config: z.strictObject({
    bucket: z
      .string()
      .regex(
        /^[A-Za-z0-9][A-Za-z0-9._-]{1,62}$/,
        'must be the name of a bucket: 2-63 letters, digits, dots, dashes and underscores',
      )
      .describe('Name of the bucket, which must exist.')
      .meta({ reference: 'bucket' }),
    prefix: prefixField('bucket'),
    region: z
      .string()
      .regex(/^[a-z0-9-]{2,32}$/, 'must be a region such as eu-central-1')
      .describe('Region of the bucket. Default: the region set for the AWS SDK.')
      .optional(),
    endpoint: endpointField('Address of an S3-compatible store other than Amazon S3.').optional(),
    pathStyle: z
      .boolean()
      .describe(
        'Puts the bucket into the path instead of the host name; most self-hosted stores need this.',
      )
      .optional(),
  }),
  usesProcessCredentials: true,
  // Only hosts of the S3 service, because machines and gateways of AWS customers also have names under amazonaws.com.
  vendorHosts:
    /^s3(?:-fips|-accelerate)?(?:\.dualstack)?(?:\.[a-z]{2}(?:-[a-z]+)+-\d)?\.amazonaws\.com(?:\.cn)?$/,
  open(spec, env) {
    const { bucket, prefix = '', region, pathStyle = false } = spec;
    const address = endpointOf(spec, env);
    const hostLabel = address === undefined ? '' : ` at ${new URL(address).host}`;
    return new BucketConnector({
      prefix,
      description: `S3 bucket ${[bucket, prefix].filter((part) => part !== '').join('/')}${hostLabel}`,
      terms: {
        bucket: 'bucket',
        credentials: 'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or a role',
      },
      open: async () => {
        const { openS3Bucket } = await import('./s3-bucket.ts');
        return openS3Bucket({ bucket, region, endpoint: address, pathStyle });
      },
      diagnose,
    });
  },
});

function diagnose(error: unknown): Diagnosis | null {
  if (!(error instanceof Error)) return null;
  const { name, message } = error;
  const { code: systemCode } = asRecord(error);
  // The client has no error class for a missing region.
  if (message === 'Region is missing') return { errorKind: 'misconfigured', code: 'no region' };
  // The fields of the file were checked, so these errors come from the variables and profiles of AWS.
  if (name === 'EndpointError' || systemCode === 'ERR_INVALID_URL')
    return { errorKind: 'misconfigured', code: 'AWS_ENDPOINT_URL_S3 is not a URL' };
  if (systemCode === 'ERR_INVALID_CHAR')
    return { errorKind: 'bad-credentials', code: 'invalid characters' };
  const status = statusOf(error);
  if (status !== undefined) {
    // The client itself names a response without a code, such as a web page.
    const code = /^(Error|NotFound)$|unknown/i.test(name) ? undefined : name;
    return diagnoseResponse({ status, code, date: dateOf(error) });
  }
  const errorKind = findStoreErrorKind(name);
  return errorKind === null ? diagnoseNetworkError(error) : { errorKind, code: name };
}

function statusOf(error: object): number | undefined {
  const { httpStatusCode: status } = asRecord(asRecord(error)['$metadata']);
  return typeof status === 'number' ? status : undefined;
}

function dateOf(error: object): string | undefined {
  const { date } = asRecord(asRecord(asRecord(error)['$response'])['headers']);
  return typeof date === 'string' ? date : undefined;
}
