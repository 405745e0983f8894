// The certificate by which this machine shows who it is: whether it can be one at all, and how people know it.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { ConfigError } from '../settings/config-error.ts';

/** As Temporal's environment configuration gives them, PEM. */
export interface ClientPair {
  crt: Uint8Array;
  key: Uint8Array;
}

export interface ShownCertificate {
  /** Its subject in one line: `CN=worker`. */
  subject: string;
  /** YYYY-MM-DD; null where it is still valid. */
  expiredOn: string | null;
}

const fix =
  'Check TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH, or the *_DATA in their place: two PEM files that belong together.';

/** @throws ConfigError for a pair with which no connection can be made */
export function readPair({ crt, key }: ClientPair, nowMs: number): ShownCertificate {
  const cert = readOr('certificate', () => new X509Certificate(Buffer.from(crt)));
  const privateKey = readOr('key', () => createPrivateKey(Buffer.from(key)));
  if (!cert.checkPrivateKey(privateKey)) {
    throw new ConfigError(
      'The settings for Temporal cannot be used: the client key does not belong to the client certificate.',
      fix,
    );
  }
  const endsAt = new Date(cert.validTo);
  return {
    subject: cert.subject.split('\n').join(', '),
    expiredOn: endsAt.getTime() < nowMs ? endsAt.toISOString().slice(0, 10) : null,
  };
}

function readOr<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch {
    throw new ConfigError(
      `The settings for Temporal cannot be used: the client ${what} is not in PEM, or is encrypted.`,
      fix,
    );
  }
}
