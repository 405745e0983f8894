// A bucket of Amazon S3 or of a store that speaks its language. Credentials come by AWS's own chain from the
// environment of the process: variables, profiles, roles.

import { looseFields } from '../api/loose-fields.ts';
import type { ConnectorSpec } from '../plan/types.ts';
import type { Environment } from '../settings/environment.ts';
import { BucketConnector } from './bucket/bucket-connector.ts';
import { type Diagnosis, networkTrouble, type Trouble } from './bucket/trouble.ts';
import type { S3Spec } from './s3-bucket.ts';
import { endpointOf, optionalText, textOf } from './spec-fields.ts';

export function openS3(spec: ConnectorSpec, env: Environment): BucketConnector {
  const prefix = optionalText(spec, 'prefix') ?? '';
  const s3: S3Spec = {
    bucket: textOf(spec, 'bucket'),
    region: optionalText(spec, 'region'),
    endpoint: endpointOf(spec, env),
    pathStyle: spec['pathStyle'] === true,
  };
  const at = s3.endpoint === undefined ? '' : ` at ${new URL(s3.endpoint).host}`;
  return new BucketConnector({
    spec,
    prefix,
    description: `S3 bucket ${[s3.bucket, prefix].filter((part) => part !== '').join('/')}${at}`,
    words: {
      bucket: 'bucket',
      credentials: 'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or a role',
    },
    open: async () => (await import('./s3-bucket.ts')).openS3Bucket(s3),
    diagnose,
  });
}

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
