// Certificates that a connection was given up for, by the codes of Node. Pure.

const words: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'is not trusted: it is signed by itself',
  SELF_SIGNED_CERT_IN_CHAIN:
    'is not trusted: this machine does not know the authority that signed it',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'is not trusted: the authority that signed it did not come with it',
  UNABLE_TO_GET_ISSUER_CERT:
    'is not trusted: this machine does not know the authority that signed it',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    'is not trusted: this machine does not know the authority that signed it',
  CERT_UNTRUSTED: 'is not trusted',
  CERT_REVOKED: 'was revoked',
  CERT_NOT_YET_VALID: 'is not valid yet: look at the clock of this machine',
  CERT_HAS_EXPIRED: 'has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'is for another name',
};

export const certificateCodes: readonly string[] = Object.keys(words);

/** What is wrong with the certificate of `host`; null for a code of anything else. */
export function certificateFault(code: string, host: string): string | null {
  const fault = words[code];
  return fault === undefined ? null : `the certificate of ${host} ${fault}`;
}
