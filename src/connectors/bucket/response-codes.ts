// Classifies error responses by code or, without a known code, by status. Codes have the same meaning for all vendors.
import type { Diagnosis, StoreErrorKind } from './store-errors.ts';

export interface StoreResponse {
  status: number;
  /** The store's code or reason. Undefined if the response has none. */
  code?: string | undefined;
  /** The store's time: its `Date` header. */
  date?: string | undefined;
}

/** Codes are case-insensitive. A trailing star matches any ending. */
const table: readonly {
  errorKind: StoreErrorKind;
  codes: string;
  statuses?: readonly number[];
}[] = [
  { errorKind: 'clock', codes: 'RequestTimeTooSkewed RequestExpired RequestInTheFuture' },
  {
    errorKind: 'overloaded',
    codes:
      'SlowDown* Throttl* TooManyRequests* RequestLimitExceeded RateLimitExceeded UserRateLimitExceeded UsageLimitsRateLimitExceeded KMS.Throttling* ServerBusy Busy OperationAborted OperationTimedOut RequestTimeout ConditionalRequestConflict IncompleteBody BadDigest Md5Mismatch XAmzContentSHA256Mismatch UploadBrokenConnection',
    statuses: [408, 425, 429],
  },
  {
    errorKind: 'full',
    codes:
      'XMinioStorageFull XMinioAdminBucketQuotaExceeded QuotaExceeded* StorageQuotaExceeded StorageFull InsufficientStorage* NoSpaceLeft ServiceQuotaExceeded*',
    statuses: [507],
  },
  {
    errorKind: 'unsupported',
    codes: 'NotImplemented UnsupportedHeader UnsupportedHttpVerb',
    statuses: [501, 505],
  },
  { errorKind: 'archived', codes: 'InvalidObjectState BlobArchived BlobBeingRehydrated' },
  {
    errorKind: 'encrypted',
    codes:
      'KMS.* CloudKms* KeyVault* XMinioKMS* XMinioSSE* CustomerEncryption* ResourceIsEncryptedWithCustomerEncryptionKey BlobUsesCustomerSpecifiedEncryption CustomerProvidedKey*',
  },
  { errorKind: 'in-use', codes: 'LeaseId* LeaseAlreadyPresent LeaseLost', statuses: [423] },
  {
    errorKind: 'locked',
    codes:
      'ObjectLocked XMinioObjectLocked BlobImmutableDueTo* RetentionPolicyNotMet ObjectUnderActiveHold',
  },
  {
    errorKind: 'no-bucket',
    codes: 'NoSuchBucket ContainerNotFound ContainerBeingDeleted ContainerDisabled',
  },
  {
    errorKind: 'no-object',
    codes: 'NoSuchKey NoSuchVersion NotFound BlobNotFound ResourceNotFound',
    statuses: [404, 410],
  },
  { errorKind: 'out-of-range', codes: 'InvalidRange', statuses: [416] },
  // This response comes from a proxy, but the clients treat it like a response of the store.
  { errorKind: 'proxy', codes: 'ProxyAuthenticationRequired', statuses: [407] },
  {
    errorKind: 'bad-credentials',
    codes:
      'InvalidAccessKeyId SignatureDoesNotMatch InvalidToken ExpiredToken* TokenRefreshRequired InvalidClientTokenId AuthenticationFailed NoAuthenticationInformation InvalidAuthenticationInfo BadConnectionString AuthError',
    statuses: [401],
  },
  { errorKind: 'no-credentials', codes: 'CredentialsProviderError TokenProviderError' },
  {
    errorKind: 'denied',
    codes:
      'AccessDenied Forbidden InsufficientPermissions AccountProblem AllAccessDisabled AccountDisabled AuthorizationFailure AuthorizationPermissionMismatch InsufficientAccountPermissions AccountIsDisabled',
    statuses: [403],
  },
  {
    errorKind: 'misconfigured',
    codes:
      'InvalidBucketName PermanentRedirect AuthorizationHeaderMalformed IllegalLocationConstraintException InvalidResourceName UserProject*',
    statuses: [301, 302, 303, 307, 308],
  },
  {
    errorKind: 'too-large',
    codes: 'EntityTooLarge RequestBodyTooLarge UploadTooLarge',
    statuses: [413],
  },
];

const byCode = table.flatMap(({ errorKind, codes }) =>
  codes.split(' ').map((code) => ({ errorKind, code: code.toLowerCase() })),
);

export function findStoreErrorKind(code: string): StoreErrorKind | null {
  const lowerCaseCode = code.toLowerCase();
  const fits = (pattern: string) =>
    pattern.endsWith('*')
      ? lowerCaseCode.startsWith(pattern.slice(0, -1))
      : lowerCaseCode === pattern;
  return byCode.find((entry) => fits(entry.code))?.errorKind ?? null;
}

/** Stores refuse requests whose time differs too much from theirs. The strictest stores allow five minutes. */
const maxClockSkewMs = 4 * 60_000;

/** Classifies an error response. @param nowMs this machine's time, epoch ms */
export function diagnoseResponse(
  { status, code, date = '' }: StoreResponse,
  nowMs = Date.now(),
): Diagnosis {
  const label = code ?? `status ${status}`;
  // Stores name the cause of a 404. Another server, such as a proxy, does not know which objects exist.
  const isFromStore = code !== undefined || (status !== 404 && status !== 410);
  const errorKind =
    (code === undefined ? null : findStoreErrorKind(code)) ??
    (isFromStore ? table.find(({ statuses }) => statuses?.includes(status))?.errorKind : null) ??
    // A success that the vendor's client cannot parse is not a refusal.
    (status >= 500 || status < 300 || !isFromStore ? 'unreachable' : 'refused');
  const aheadMs = nowMs - Date.parse(date);
  const isOff = Math.abs(aheadMs) > maxClockSkewMs;
  // If the clock is wrong, some stores report only a wrong signature.
  if (errorKind === 'clock' || (isOff && errorKind === 'bad-credentials')) {
    const difference = isOff ? `, ${differenceOf(aheadMs)}` : '';
    return { errorKind: 'clock', code: label + difference };
  }
  return { errorKind, code: label };
}

function differenceOf(aheadMs: number): string {
  const minutes = Math.round(Math.abs(aheadMs) / 60_000);
  const time = minutes < 120 ? `${minutes} minutes` : `${Math.round(minutes / 60)} hours`;
  return `${time} ${aheadMs > 0 ? 'ahead' : 'behind'}`;
}
