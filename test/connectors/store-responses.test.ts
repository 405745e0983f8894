// The effect of each error response of a store on a run: a failure of the file or of the whole location, temporary or
// not.
import { describe, expect, it } from 'vitest';
import { diagnoseAzure } from '../../src/connectors/azure-errors.ts';
import { diagnoseResponse } from '../../src/connectors/bucket/response-codes.ts';
import { createBucketError } from '../../src/connectors/bucket/store-errors.ts';
import type { ConnectorError } from '../../src/connectors/connector-error.ts';
import { diagnoseGcs } from '../../src/connectors/gcs-errors.ts';
import { useSmallS3 } from './_small-s3.ts';
import { collect } from './_temp-folder.ts';

const s3 = useSmallS3();
const words = { bucket: 'bucket', credentials: 'KEY' };

/** Null for a response without a code. */
const answers: [status: number, code: string | null, ConnectorError['code']][] = [
  [400, 'RequestTimeout', 'CONNECTOR_UNREACHABLE'],
  [429, null, 'CONNECTOR_UNREACHABLE'],
  [503, 'SlowDown', 'CONNECTOR_UNREACHABLE'],
  [503, 'SlowDownWrite', 'CONNECTOR_UNREACHABLE'],
  [409, 'OperationAborted', 'CONNECTOR_UNREACHABLE'],
  [400, 'KMS.ThrottlingException', 'CONNECTOR_UNREACHABLE'],
  [403, 'rateLimitExceeded', 'CONNECTOR_UNREACHABLE'],
  [500, null, 'CONNECTOR_UNREACHABLE'],
  [503, 'InternalError', 'CONNECTOR_UNREACHABLE'],
  [507, null, 'DISK_FULL'],
  [507, 'XMinioStorageFull', 'DISK_FULL'],
  [400, 'XMinioAdminBucketQuotaExceeded', 'DISK_FULL'],
  [403, 'QuotaExceeded', 'DISK_FULL'],
  [403, 'quotaExceeded', 'DISK_FULL'],
  [501, null, 'STORE_UNSUITABLE'],
  [501, 'NotImplemented', 'STORE_UNSUITABLE'],
  [400, 'UnsupportedHeader', 'STORE_UNSUITABLE'],
  [403, 'RequestTimeTooSkewed', 'CLOCK_DIFFERS'],
  [403, 'InvalidObjectState', 'FILE_ARCHIVED'],
  [409, 'BlobArchived', 'FILE_ARCHIVED'],
  [409, 'BlobBeingRehydrated', 'FILE_ARCHIVED'],
  [412, 'LeaseIdMissing', 'FILE_BUSY'],
  [423, null, 'FILE_BUSY'],
  [409, 'BlobImmutableDueToPolicy', 'FILE_REFUSED'],
  [403, 'retentionPolicyNotMet', 'FILE_REFUSED'],
  [403, 'objectUnderActiveHold', 'FILE_REFUSED'],
  [400, 'KMS.DisabledException', 'ACCESS_DENIED'],
  [403, 'cloudKmsDisabledKey', 'ACCESS_DENIED'],
  [403, 'KeyVaultEncryptionKeyNotFound', 'ACCESS_DENIED'],
  [403, 'AccessDenied', 'ACCESS_DENIED'],
  [403, null, 'ACCESS_DENIED'],
  [401, null, 'CREDENTIALS_REFUSED'],
  [400, 'ExpiredToken', 'CREDENTIALS_REFUSED'],
  [404, 'NoSuchBucket', 'BUCKET_NOT_FOUND'],
  [404, 'NoSuchKey', 'FILE_GONE'],
  [404, 'NotFound', 'FILE_GONE'],
  [416, null, 'FILE_GONE'],
  [301, 'PermanentRedirect', 'CONNECTOR_MISCONFIGURED'],
  [413, null, 'TOO_LARGE'],
  [400, 'SomethingNew', 'UNREADABLE'],
];

describe.each(answers)('a response %i %s', (status, code, meaning) => {
  it(`the response is reported as ${meaning} for every store`, () => {
    const given = code === null ? {} : { code };
    const azure = diagnoseAzure(Object.assign(new Error('x'), { statusCode: status, ...given }));
    const gcs = diagnoseGcs(
      Object.assign(new Error('x'), {
        code: status,
        errors: code === null ? [] : [{ reason: code }],
      }),
    );
    for (const diagnosis of [diagnoseResponse({ status, ...given }), azure, gcs]) {
      if (diagnosis === null) throw new TypeError('no diagnosis');
      const error = createBucketError(diagnosis, 'read', 'a', 'bucket b', words);
      expect(error.code).toBe(meaning);
      expect(error.message).toContain(code ?? `status ${status}`);
    }
  });
});

describe('a clock difference', () => {
  const nowMs = Date.parse('2026-11-26T12:00:00Z');
  it.each([
    [
      'RequestTimeTooSkewed',
      '2026-11-26T11:40:00Z',
      'clock',
      'RequestTimeTooSkewed, 20 minutes ahead',
    ],
    [
      'RequestTimeTooSkewed',
      '2026-11-26T15:00:00Z',
      'clock',
      'RequestTimeTooSkewed, 3 hours behind',
    ],
    ['RequestTimeTooSkewed', undefined, 'clock', 'RequestTimeTooSkewed'],
    [
      'AuthenticationFailed',
      '2026-11-26T12:16:00Z',
      'clock',
      'AuthenticationFailed, 16 minutes behind',
    ],
    ['AuthenticationFailed', '2026-11-26T12:01:00Z', 'bad-credentials', 'AuthenticationFailed'],
    ['AccessDenied', '2026-11-26T12:16:00Z', 'denied', 'AccessDenied'],
  ])('the response %s at %s is treated as %s', (code, date, errorKind, shown) => {
    expect(diagnoseResponse({ status: 403, code, date }, nowMs)).toEqual({
      errorKind,
      code: shown,
    });
  });

  it('a clock error that invalidates a Google token is distinguished from wrong credentials', () => {
    const refused = (message: string) =>
      diagnoseGcs(Object.assign(new Error(message), { code: '400' }))?.errorKind;
    expect(
      refused(
        'invalid_grant: Invalid JWT: Token must be in a reasonable timeframe. Check iat and exp',
      ),
    ).toBe('clock');
    expect(refused('invalid_grant: account not found')).toBe('bad-credentials');
  });
});

describe('an S3-compatible store', () => {
  it('a store that cannot create conditionally is unsuitable for records, and the request is not retried', async () => {
    s3.refuse = (method, _, { headers }) =>
      method === 'PUT' && headers['if-none-match'] ? { status: 501, code: 'NotImplemented' } : null;
    const connector = s3.connector();
    await expect(connector.write('r', Buffer.from('x'), { ifAbsent: true })).rejects.toMatchObject({
      code: 'STORE_UNSUITABLE',
      isTransient: false,
      runCause: { kind: 'later' },
      message: expect.stringMatching(/cannot hold records.*If-None-Match.*records:/),
    });
    expect(s3.requests).toEqual(['PUT in/r']);
    await connector.write('r', Buffer.from('x'));
  });

  it('a full store stops the run', async () => {
    s3.refuse = (method) => (method === 'PUT' ? { status: 507, code: 'XMinioStorageFull' } : null);
    const staged = await s3.connector().stage('a.png');
    await staged.write(Buffer.from('x'));
    await expect(staged.commit()).rejects.toMatchObject({
      code: 'DISK_FULL',
      isTransient: false,
      message: expect.stringMatching(/no space is left in the bucket \(XMinioStorageFull\)/),
    });
    await staged.discard();
  });

  it('a store whose clock differs causes an error that states the difference', async () => {
    const date = new Date(Date.now() - 3_600_000).toUTCString();
    s3.refuse = () => ({ status: 403, code: 'RequestTimeTooSkewed', headers: { date } });
    await expect(collect(s3.connector().list())).rejects.toMatchObject({
      code: 'CLOCK_DIFFERS',
      message: expect.stringMatching(
        /RequestTimeTooSkewed, 60 minutes ahead.*synchronize this machine's clock/,
      ),
    });
  });
});
