// What goes wrong with an object store, in words of ours. The store's own message is never shown: it may
// hold what was signed; its code is enough to look it up.
import { ConnectorError, type FileAction } from '../connector-error.ts';
import { addressRefused } from '../store-agents.ts';

export type Trouble =
  | 'no-object'
  | 'no-bucket'
  | 'no-credentials'
  | 'bad-credentials'
  | 'denied'
  | 'misconfigured'
  | 'refused-address'
  | 'unreachable'
  | 'out-of-range'
  | 'too-large'
  | 'refused';

export interface Diagnosis {
  trouble: Trouble;
  /** The store's or system's code, for example `NoSuchBucket`. */
  code: string;
}

/** Where a person looks for what a store's vendor calls differently. */
export interface StoreWords {
  /** `bucket` or `container`. */
  bucket: string;
  /** Where the worker's credentials come from. */
  credentials: string;
}

/** `place` describes the connector. `path` is '' for the connector as a whole. */
export function bucketError(
  { trouble, code }: Diagnosis,
  action: FileAction,
  path: string,
  place: string,
  words: StoreWords,
): ConnectorError {
  const what = path === '' ? `cannot ${action} ${place}` : `cannot ${action} "${path}" in ${place}`;
  const says = (why: string) => `${what}: ${why} (${code})`;
  switch (trouble) {
    case 'no-object':
    case 'out-of-range':
      return new ConnectorError(
        'FILE_GONE',
        path,
        says('it is not there any more'),
        'put the file back or run again without it',
      );
    case 'no-bucket':
      return new ConnectorError(
        'BUCKET_NOT_FOUND',
        path,
        says(`the ${words.bucket} does not exist`),
        `correct its name, region or endpoint, or make the ${words.bucket}`,
      );
    case 'no-credentials':
      return new ConnectorError(
        'CREDENTIALS_MISSING',
        path,
        says('no credentials were found'),
        `set ${words.credentials}`,
      );
    case 'bad-credentials':
      return new ConnectorError(
        'CREDENTIALS_REFUSED',
        path,
        says('the credentials are not accepted'),
        `correct or renew ${words.credentials}`,
      );
    case 'denied':
      return new ConnectorError(
        'ACCESS_DENIED',
        path,
        says('the credentials may not do this'),
        `let them list, read, write and remove in the ${words.bucket}`,
      );
    case 'misconfigured':
      return new ConnectorError(
        'CONNECTOR_MISCONFIGURED',
        path,
        says('the settings do not fit'),
        'correct name, region and endpoint of the connector',
      );
    case 'refused-address':
      return new ConnectorError(
        'CONNECTOR_MISCONFIGURED',
        path,
        says("its name leads to public and to private addresses, or to a cloud's credentials"),
        'correct the endpoint of the connector, or what the DNS says of it',
      );
    case 'unreachable':
      return new ConnectorError(
        'CONNECTOR_UNREACHABLE',
        path,
        says('no proper answer came'),
        'check the endpoint and the network',
      );
    case 'too-large':
      return new ConnectorError(
        'TOO_LARGE',
        path,
        says('the file is too large for the store'),
        'make it smaller',
      );
    case 'refused':
      return new ConnectorError(
        action === 'read' ? 'UNREADABLE' : 'UNWRITABLE',
        path,
        says('the store refuses it'),
        `look the code up in the documentation of the store`,
      );
  }
}

/** An answer that ended before its announced length. */
export class CutShortError extends Error {
  override name = 'CutShortError';
}

const network =
  /^(E[A-Z]+|UND_ERR_[A-Z_]+|ERR_STREAM_PREMATURE_CLOSE|TimeoutError|RequestTimeout|AbortError|ABORT_ERR|CutShortError|REQUEST_SEND_ERROR)$/;

/** Names a broken connection, a name that does not resolve, or a timeout; null for anything else. */
export function networkTrouble(error: unknown): Diagnosis | null {
  for (let at = error; at instanceof Error; at = at.cause) {
    const code = 'code' in at && typeof at.code === 'string' ? at.code : at.name;
    if (code === addressRefused) return { trouble: 'refused-address', code };
    if (network.test(code)) return { trouble: 'unreachable', code };
  }
  return null;
}
