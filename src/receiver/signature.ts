// Checks the signature of a notification, which proves that the sender knows the webhook's secret.
import { createHmac, timingSafeEqual } from 'node:crypto';

export const signatureHeader = 'x-service-signature';

/** The platform documents lowercase digits. Uppercase digits are accepted too, because they mean the same number. */
const form = /^[0-9a-f]{64}$/i;

/** True if the header has the form of a signature. If it does not, the body need not be read. */
export function isSignature(header: string | string[] | undefined): header is string {
  return typeof header === 'string' && form.test(header);
}

/**
 * Compares the header in constant time with the signature of the raw body under every secret. Several secrets are valid
 * while a new secret replaces an old one.
 */
export function hasValidSignature(
  body: Uint8Array,
  header: string | string[] | undefined,
  secrets: readonly string[],
): boolean {
  if (!isSignature(header)) return false;
  const receivedBytes = Buffer.from(header, 'hex');
  let isSigned = false;
  for (const secret of secrets) {
    const expectedBytes = createHmac('sha256', secret).update(body).digest();
    // There is no early return, because the time must not reveal which secret matched.
    isSigned = timingSafeEqual(receivedBytes, expectedBytes) || isSigned;
  }
  return isSigned;
}
