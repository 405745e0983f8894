// Checks that the sender of a notification knows the webhook's secret (platform.md, section 6).
import { createHmac, timingSafeEqual } from 'node:crypto';

/** Header that carries the signature. */
export const signatureHeader = 'x-service-signature';

/** The document says lowercase; nothing is gained by refusing the same number in other letters. */
const form = /^[0-9a-f]{64}$/i;

/** Can it be a signature at all? Saves reading the body of what cannot. */
export function isSignature(header: string | string[] | undefined): header is string {
  return typeof header === 'string' && form.test(header);
}

/**
 * Compares in constant time with the signature of the raw bytes under every secret, so that an old and a
 * new secret both hold while one replaces the other.
 */
export function isSigned(
  body: Uint8Array,
  header: string | string[] | undefined,
  secrets: readonly string[],
): boolean {
  if (!isSignature(header)) return false;
  const given = Buffer.from(header, 'hex');
  let signed = false;
  for (const secret of secrets) {
    const expected = createHmac('sha256', secret).update(body).digest();
    // No early end: how long it takes must not tell which secret it was.
    signed = timingSafeEqual(given, expected) || signed;
  }
  return signed;
}
