// Checks the TLS client certificate and describes it for people.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { ConfigError } from '../../settings/config-error.ts';

/** Certificate and key in PEM, as Temporal's environment configuration loads them. */
export interface ClientPair {
  crt: Uint8Array;
  key: Uint8Array;
}

export interface ClientCertificateInfo {
  /** The subject in one line: `CN=worker`. */
  subject: string;
  /** YYYY-MM-DD. Null if the certificate is still valid. */
  expiredOn: string | null;
}

const fix =
  'Check TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH, or the *_DATA variables: a PEM certificate and its own PEM key.';

/** Describes the certificate. @throws ConfigError if it or the key is not PEM, or if they do not belong together */
export function readClientCertificate(
  { crt, key }: ClientPair,
  nowMs: number,
): ClientCertificateInfo {
  const cert = parsePem('certificate', () => new X509Certificate(Buffer.from(crt)));
  const privateKey = parsePem('key', () => createPrivateKey(Buffer.from(key)));
  if (!cert.checkPrivateKey(privateKey)) {
    throw new ConfigError(
      'The settings for Temporal are invalid: the client key does not belong to the client certificate.',
      fix,
    );
  }
  const endsAt = new Date(cert.validTo);
  return {
    subject: cert.subject.split('\n').join(', '),
    expiredOn: endsAt.getTime() < nowMs ? endsAt.toISOString().slice(0, 10) : null,
  };
}

function parsePem<T>(label: string, read: () => T): T {
  try {
    return read();
  } catch {
    throw new ConfigError(
      `The settings for Temporal are invalid: the client ${label} is not in PEM, or is encrypted.`,
      fix,
    );
  }
}
