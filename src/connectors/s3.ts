// A bucket of Amazon S3 or of a store that speaks its language. Credentials come by AWS's own chain from the
// environment of the process: variables, profiles, roles.

import { z } from 'zod';
import { looseFields } from '../api/loose-fields.ts';
import { BucketConnector } from './bucket/bucket-connector.ts';
import { type Diagnosis, networkTrouble, type Trouble } from './bucket/trouble.ts';
import { defineConnector } from './connector-type.ts';
import { endpoint, endpointOf, prefixIn } from './spec-fields.ts';

export const s3 = defineConnector({
  type: 's3',
  summary: 'A bucket of Amazon S3, or of a store that speaks its language.',
  docs: `Credentials come by AWS's own chain from the environment of the worker and of the command: \`AWS_ACCESS_KEY_ID\` and \`AWS_SECRET_ACCESS_KEY\` (and \`AWS_SESSION_TOKEN\`), \`AWS_PROFILE\`, single sign-on, a web identity, the role of the machine.

They must be allowed \`s3:ListBucket\` on the bucket, and \`s3:GetObject\`, \`s3:PutObject\` and \`s3:DeleteObject\` below the prefix.

For a store of your own give \`endpoint\` (https, or a host that [\`RENDERLINE_ALLOW_HOSTS\`](deployment.md#what-leaves-the-machine) names), and mostly \`pathStyle: true\`. Records need conditional writes (\`If-None-Match: *\`); a store that ignores that header is refused by its first run, and by \`renderline doctor FILE\`, before anything is paid (\`RECORDS_UNSAFE\`).`,
  example: 'pictures: { type: s3, bucket: acme-media, prefix: shoes/spring, region: eu-central-1 }',
  config: z.strictObject({
    bucket: z
      .string()
      .regex(
        /^[A-Za-z0-9][A-Za-z0-9._-]{1,62}$/,
        'must be the name of a bucket: 2-63 letters, digits, dots, dashes and underscores',
      )
      .describe('Name of the bucket, which must be there.')
      .meta({ reference: 'bucket' }),
    prefix: prefixIn('bucket'),
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
  }),
  open(spec, env) {
    const { bucket, prefix = '', region, pathStyle = false } = spec;
    const address = endpointOf(spec, env);
    const at = address === undefined ? '' : ` at ${new URL(address).host}`;
    return new BucketConnector({
      prefix,
      description: `S3 bucket ${[bucket, prefix].filter((part) => part !== '').join('/')}${at}`,
      words: {
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

const troubles: Readonly<Record<string, Trouble | undefined>> = {
  NoSuchKey: 'no-object',
  NotFound: 'no-object',
  NoSuchBucket: 'no-bucket',
  InvalidRange: 'out-of-range',
  InvalidAccessKeyId: 'bad-credentials',
  SignatureDoesNotMatch: 'bad-credentials',
  InvalidToken: 'bad-credentials',
  ExpiredToken: 'bad-credentials',
  InvalidClientTokenId: 'bad-credentials',
  RequestTimeTooSkewed: 'bad-credentials',
  AccessDenied: 'denied',
  Forbidden: 'denied',
  AccountProblem: 'denied',
  AllAccessDisabled: 'denied',
  CredentialsProviderError: 'no-credentials',
  TokenProviderError: 'no-credentials',
  InvalidBucketName: 'misconfigured',
  PermanentRedirect: 'misconfigured',
  AuthorizationHeaderMalformed: 'misconfigured',
  IllegalLocationConstraintException: 'misconfigured',
  EntityTooLarge: 'too-large',
};

function diagnose(error: unknown): Diagnosis | null {
  if (!(error instanceof Error)) return null;
  const { name, message } = error;
  const trouble = troubles[name];
  if (trouble !== undefined) return { trouble, code: name };
  // The client has no class for these two.
  if (message === 'Region is missing') return misconfigured('no region');
  if (message.startsWith('Invalid endpoint')) return misconfigured('endpoint');
  const status = statusOf(error);
  if (status === undefined) return networkTrouble(error);
  const code = name === 'Error' || /unknown/i.test(name) ? `status ${status}` : name;
  if (status >= 500 || status === 429 || status === 408) return { trouble: 'unreachable', code };
  if (status === 401 || status === 403) return { trouble: 'denied', code };
  if (status >= 300 && status < 400) return { trouble: 'misconfigured', code };
  return { trouble: 'refused', code };
}

function misconfigured(code: string): Diagnosis {
  return { trouble: 'misconfigured', code };
}

function statusOf(error: object): number | undefined {
  const { httpStatusCode: status } = looseFields(looseFields(error)['$metadata']);
  return typeof status === 'number' ? status : undefined;
}
