// Classifies errors of Google Cloud Storage. Users see the reason of an error, never its message.
import { asRecord, isObject } from '../api/unknown-values.ts';
import { diagnoseResponse } from './bucket/response-codes.ts';
import { type Diagnosis, diagnoseNetworkError } from './bucket/store-errors.ts';

/** Thrown by `gcs-bucket.ts` if the bucket itself is missing. */
export class NoBucketError extends Error {
  override name = 'NoBucketError';
}

export function diagnoseGcs(error: unknown): Diagnosis | null {
  if (!(error instanceof Error)) return null;
  if (error instanceof NoBucketError) return { errorKind: 'no-bucket', code: 'notFound' };
  // If the clock is wrong, Google's servers refuse a token with this text and status 400.
  if (/reasonable timeframe|iat and exp/.test(error.message)) {
    return { errorKind: 'clock', code: 'invalid_grant' };
  }
  if (/invalid_grant/.test(error.message)) {
    return { errorKind: 'bad-credentials', code: 'invalid_grant' };
  }
  const status = findGcsStatus(error);
  if (status !== undefined) return diagnoseResponse({ status, code: findReason(error) });
  // The client has no codes for errors that occur before a request is sent.
  if (/Could not load the default credentials|Unable to detect a Project Id/.test(error.message)) {
    return { errorKind: 'no-credentials', code: 'no default credentials' };
  }
  const { code } = asRecord(error);
  const isUnreadable =
    code === 'ENOENT' || code === 'EACCES' || String(code).startsWith('ERR_OSSL_');
  if (isUnreadable || /JSON|PEM|key must be/i.test(error.message)) {
    return { errorKind: 'bad-credentials', code: 'key file' };
  }
  return diagnoseNetworkError(error);
}

export function findGcsStatus(error: unknown): number | undefined {
  const { code, status } = asRecord(error);
  // Some errors contain the number as text.
  const number = Number(code ?? status);
  return Number.isInteger(number) && number >= 300 ? number : undefined;
}

/** True if the store says that an object or bucket is missing. False for a 404 of a proxy, which knows of no objects. */
export function isGcsMissing(error: unknown): boolean {
  return findGcsStatus(error) === 404 && findReason(Object(error)) !== undefined;
}

function findReason(error: object): string | undefined {
  const { errors, response } = asRecord(error);
  const { reason } = asRecord(Array.isArray(errors) ? errors[0] : undefined);
  if (typeof reason === 'string') return reason;
  // Emulators give no reason. Neither does Google's response to a request for the content of a missing object.
  const { body, headers } = asRecord(response);
  const isFromStore =
    isObject(asRecord(body)['error']) || 'x-guploader-uploadid' in asRecord(headers);
  return findGcsStatus(error) === 404 && isFromStore ? 'notFound' : undefined;
}
