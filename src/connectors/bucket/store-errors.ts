// Converts errors of stores to our messages. Their own may contain signed data, so only the code is shown.
import {
  classifyNetworkError,
  findNetworkErrorFix,
  type NetworkErrorDetails,
  type NetworkErrorKind,
  refusedAddressReason,
} from '../../api/network/network-errors.ts';
import { storageFailures } from '../../failures/storage.ts';
import { ConnectorError, type FileAction } from '../connector-error.ts';

export type StoreErrorKind = keyof ReturnType<typeof createProblems>;

export interface Diagnosis {
  errorKind: StoreErrorKind;
  /** The store's or system's code, for example `NoSuchBucket`. */
  code: string;
  networkError?: NetworkErrorDetails;
}

/** Terms that differ between vendors. */
export interface StoreTerms {
  bucket: string;
  /** Where the worker's credentials come from. */
  credentials: string;
}

interface Problem {
  code: ConnectorError['code'];
  reason: string;
  fix: string;
}

/** Creates the error. @param path '' for the connector as a whole @param location description of the connector */
export function createBucketError(
  { errorKind, code, networkError }: Diagnosis,
  action: FileAction,
  path: string,
  location: string,
  terms: StoreTerms,
): ConnectorError {
  const summary =
    path === '' ? `cannot ${action} ${location}` : `cannot ${action} "${path}" in ${location}`;
  const problem = createProblems(terms, action)[errorKind];
  const { reason } = networkError ?? problem;
  const fix = (networkError && findNetworkErrorFix(networkError)) ?? problem.fix;
  return new ConnectorError(problem.code, path, `${summary}: ${reason} (${code})`, fix);
}

/** Creates the error for a response that is no valid listing, such as a web page, which says nothing about credentials. */
export function createListingError(message: string): ConnectorError {
  const fix = 'check which server responds at the `endpoint` of the connector, then resume the run';
  return new ConnectorError('PLACE_UNREADABLE', '', message, fix);
}

function createProblems({ bucket, credentials }: StoreTerms, action: FileAction) {
  const missingFile: Problem = {
    code: 'FILE_GONE',
    reason: 'the object no longer exists',
    fix: 'restore the file, or run again without it',
  };
  return {
    'no-object': missingFile,
    'out-of-range': missingFile,
    'no-bucket': {
      code: 'BUCKET_NOT_FOUND',
      reason: `the ${bucket} does not exist`,
      fix: `correct the name, region or endpoint of the connector, or create the ${bucket}`,
    },
    'no-credentials': {
      code: 'CREDENTIALS_MISSING',
      reason: 'no credentials were found',
      fix: `set ${credentials}`,
    },
    'bad-credentials': {
      code: 'CREDENTIALS_REFUSED',
      reason: 'the credentials were rejected',
      fix: `correct or renew ${credentials}`,
    },
    denied: {
      code: 'ACCESS_DENIED',
      reason: 'the credentials lack permission',
      fix: `allow the credentials to list, read, write and delete in the ${bucket}`,
    },
    misconfigured: {
      code: 'CONNECTOR_MISCONFIGURED',
      reason: 'the settings do not match the store',
      fix: 'correct the name, region and endpoint of the connector',
    },
    address: {
      code: 'CONNECTOR_MISCONFIGURED',
      reason: refusedAddressReason,
      fix: 'correct the endpoint of the connector, or its DNS entries',
    },
    certificate: {
      code: 'CERTIFICATE_REFUSED',
      reason: 'the certificate of the store is not trusted',
      fix: storageFailures.CERTIFICATE_REFUSED.fix,
    },
    proxy: {
      code: 'PROXY_REFUSED',
      reason: 'the proxy refuses the connection',
      fix: storageFailures.PROXY_REFUSED.fix,
    },
    unreachable: {
      code: 'CONNECTOR_UNREACHABLE',
      reason: 'no valid response was received',
      fix: 'check the endpoint of the connector and the network',
    },
    overloaded: {
      code: 'CONNECTOR_UNREACHABLE',
      reason: 'the store is overloaded or asks for a retry',
      fix: 'the run retries automatically; if the error persists, contact the operator of the store',
    },
    clock: {
      code: 'CLOCK_DIFFERS',
      reason: "this machine's clock differs from the store's clock",
      fix: "synchronize this machine's clock, then resume the run",
    },
    full: {
      code: 'DISK_FULL',
      reason: `no space is left in the ${bucket}`,
      fix: 'free some space or raise the quota, then resume the run',
    },
    unsupported: {
      code: 'STORE_UNSUITABLE',
      reason: 'the store does not support this operation',
      fix: 'use another store, or look up the error code in the documentation of this store',
    },
    archived: {
      code: 'FILE_ARCHIVED',
      reason: 'the object is archived and must be restored first',
      fix: 'restore the object, or move it to another storage class',
    },
    encrypted: {
      code: 'ACCESS_DENIED',
      reason: 'the encryption key of the object cannot be used',
      fix: 'enable the encryption key, and allow the credentials to use it',
    },
    'in-use': {
      code: 'FILE_BUSY',
      reason: 'another client has locked the object',
      fix: 'release the lock, then run again',
    },
    locked: {
      code: 'FILE_REFUSED',
      reason: 'a retention rule or a hold protects the object from changes',
      fix: 'wait until the protection ends, or use another name',
    },
    'too-large': {
      code: 'TOO_LARGE',
      reason: 'the file is too large for the store',
      fix: 'reduce the size of the file',
    },
    refused: {
      code: action === 'read' ? 'UNREADABLE' : 'UNWRITABLE',
      reason: 'the store refused the request',
      fix: 'look up the error code in the documentation of the store',
    },
  } satisfies Readonly<Record<NetworkErrorKind, Problem> & Record<string, Problem>>;
}

/** A response ended before its announced length was reached. */
export class CutShortError extends Error {
  override name = 'CutShortError';
}

/** Classifies an error of the connection (certificate, proxy, DNS, timeout). Returns null for any other error. */
export function diagnoseNetworkError(error: unknown): Diagnosis | null {
  const networkError = classifyNetworkError(error, 'the store');
  if (networkError === null) return null;
  const { errorKind, code } = networkError;
  return { errorKind, code, networkError };
}
