// Translates the answers of Google Cloud Storage. Its messages are not shown, only its reasons.
import { looseFields } from '../api/loose-fields.ts';
import { type Diagnosis, networkTrouble, type Trouble } from './bucket/trouble.ts';

/** Thrown by `gcs-bucket.ts` where an answer does not tell the object from its bucket. */
export class NoBucketError extends Error {
  override name = 'NoBucketError';
}

const byStatus: Readonly<Record<number, Trouble | undefined>> = {
  401: 'bad-credentials',
  403: 'denied',
  404: 'no-object',
  // Only a proxy answers so: the client takes its answer for that of the store.
  407: 'proxy',
  408: 'unreachable',
  413: 'too-large',
  416: 'out-of-range',
  429: 'unreachable',
};

export function diagnoseGcs(error: unknown): Diagnosis | null {
  if (!(error instanceof Error)) return null;
  if (error instanceof NoBucketError) return { trouble: 'no-bucket', code: 'notFound' };
  const status = gcsStatus(error);
  if (status !== undefined) {
    const trouble = byStatus[status] ?? (status >= 500 ? 'unreachable' : 'refused');
    return { trouble, code: `status ${status}` };
  }
  // The client has no codes for what is wrong before anything is sent.
  if (/Could not load the default credentials|Unable to detect a Project Id/.test(error.message)) {
    return { trouble: 'no-credentials', code: 'no default credentials' };
  }
  const { code } = looseFields(error);
  if (
    code === 'ENOENT' ||
    code === 'EACCES' ||
    /JSON|invalid_grant|PEM|key must be/i.test(error.message)
  ) {
    return { trouble: 'bad-credentials', code: 'key file' };
  }
  return networkTrouble(error);
}

export function gcsStatus(error: unknown): number | undefined {
  const { code, status } = looseFields(error);
  // Some errors carry the number as text.
  const number = Number(code ?? status);
  return Number.isInteger(number) && number >= 300 ? number : undefined;
}
