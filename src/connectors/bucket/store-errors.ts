// Converts errors of stores to our messages. Theirs may contain signed data, so only the code is shown.
import {
  classifyNetworkError,
  findNetworkErrorFix,
  type NetworkErrorDetails,
  type NetworkErrorKind,
  refusedAddress,
} from '../../api/network/network-errors.ts';
import { storageFailures } from '../../failures/storage.ts';
import { ConnectorError, type FileAction } from '../connector-error.ts';

export type StoreErrorKind =
  | 'no-object'
  | 'no-bucket'
  | 'no-credentials'
  | 'bad-credentials'
  | 'denied'
  | 'misconfigured'
  | NetworkErrorKind
  | 'overloaded'
  | 'clock'
  | 'full'
  | 'unsupported'
  | 'archived'
  | 'encrypted'
  | 'in-use'
  | 'locked'
  | 'out-of-range'
  | 'too-large'
  | 'refused';

export interface Diagnosis {
  errorKind: StoreErrorKind;
  /** The store's or system's code, for example `NoSuchBucket`. */
  code: string;
  /** The network error, if there was no response. */
  networkError?: NetworkErrorDetails;
}

/** Terms that differ between vendors. */
export interface StoreTerms {
  bucket: string;
  /** Source of the worker's credentials. */
  credentials: string;
}

interface Problem {
  code: ConnectorError['code'];
  why: string;
  fix: string;
}

/** Creates the error. @param path '' for the connector as a whole @param location description of the connector */
export function bucketError(
  { errorKind, code, networkError }: Diagnosis,
  action: FileAction,
  path: string,
  location: string,
  terms: StoreTerms,
): ConnectorError {
  const what =
    path === '' ? `cannot ${action} ${location}` : `cannot ${action} "${path}" in ${location}`;
  const problem = problems(terms, action)[errorKind];
  const { reason, fix } = networkError
    ? { reason: networkError.reason, fix: findNetworkErrorFix(networkError) ?? problem.fix }
    : { reason: problem.why, fix: problem.fix };
  return new ConnectorError(problem.code, path, `${what}: ${reason} (${code})`, fix);
}

function problems(
  { bucket, credentials }: StoreTerms,
  action: FileAction,
): Readonly<Record<StoreErrorKind, Problem>> {
  const missing: Problem = {
    code: 'FILE_GONE',
    why: 'it does not exist any more',
    fix: 'put the file back or run again without it',
  };
  return {
    'no-object': missing,
    'out-of-range': missing,
    'no-bucket': {
      code: 'BUCKET_NOT_FOUND',
      why: `the ${bucket} does not exist`,
      fix: `correct its name, region or endpoint, or create the ${bucket}`,
    },
    'no-credentials': {
      code: 'CREDENTIALS_MISSING',
      why: 'no credentials were found',
      fix: `set ${credentials}`,
    },
    'bad-credentials': {
      code: 'CREDENTIALS_REFUSED',
      why: 'the credentials are not accepted',
      fix: `correct or renew ${credentials}`,
    },
    denied: {
      code: 'ACCESS_DENIED',
      why: 'the credentials may not do this',
      fix: `allow them to list, read, write and delete in the ${bucket}`,
    },
    misconfigured: {
      code: 'CONNECTOR_MISCONFIGURED',
      why: 'the settings do not fit',
      fix: 'correct name, region and endpoint of the connector',
    },
    address: {
      code: 'CONNECTOR_MISCONFIGURED',
      why: refusedAddress,
      fix: 'correct the endpoint of the connector, or its DNS entries',
    },
    certificate: {
      code: 'CERTIFICATE_REFUSED',
      why: 'its certificate is not trusted',
      fix: storageFailures.CERTIFICATE_REFUSED.fix,
    },
    proxy: {
      code: 'PROXY_REFUSED',
      why: 'the proxy refuses the connection',
      fix: storageFailures.PROXY_REFUSED.fix,
    },
    unreachable: {
      code: 'CONNECTOR_UNREACHABLE',
      why: 'no valid response was received',
      fix: 'check the endpoint and the network',
    },
    overloaded: {
      code: 'CONNECTOR_UNREACHABLE',
      why: 'the store asks for a retry',
      fix: 'the run retries by itself; if this lasts, ask the operator of the store',
    },
    clock: {
      code: 'CLOCK_DIFFERS',
      why: 'the clock of this machine differs from that of the store',
      fix: 'set the clock of this machine, then resume the run',
    },
    full: {
      code: 'DISK_FULL',
      why: `no space is left in the ${bucket}`,
      fix: 'free some space or raise its quota, then resume the run',
    },
    unsupported: {
      code: 'STORE_UNSUITABLE',
      why: 'the store does not support this operation',
      fix: 'use another store, or look up the code in the documentation of this one',
    },
    archived: {
      code: 'FILE_ARCHIVED',
      why: 'it is in an archive, from which it must be restored first',
      fix: 'restore it, or move it to another storage class',
    },
    encrypted: {
      code: 'ACCESS_DENIED',
      why: 'the key that it is encrypted with cannot be used',
      fix: 'enable the key, and allow the credentials to use it',
    },
    'in-use': {
      code: 'FILE_BUSY',
      why: 'another client has locked it',
      fix: 'release the lock, then run again',
    },
    locked: {
      code: 'FILE_REFUSED',
      why: 'it may not be replaced or removed yet',
      fix: 'wait for the end of its retention, or use another name',
    },
    'too-large': {
      code: 'TOO_LARGE',
      why: 'the file is too large for the store',
      fix: 'make it smaller',
    },
    refused: {
      code: action === 'read' ? 'UNREADABLE' : 'UNWRITABLE',
      why: 'the store refuses it',
      fix: 'look up the code in the documentation of the store',
    },
  };
}

/** A response ended before its announced length. */
export class CutShortError extends Error {
  override name = 'CutShortError';
}

/** Classifies an error of the connection (certificate, proxy, DNS, timeout); null for any other error. */
export function diagnoseNetworkError(error: unknown): Diagnosis | null {
  const networkError = classifyNetworkError(error, 'the store');
  if (networkError === null) return null;
  const { errorKind, code } = networkError;
  return { errorKind, code, networkError };
}
