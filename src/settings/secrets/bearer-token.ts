// Bearer tokens of our HTTP servers.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Minimum length of a secret that people choose. A shorter one could be guessed. */
export const minSecretLength = 32;

/** Creates a random token that is safe in a URL. */
export function createToken(): string {
  return randomBytes(24).toString('base64url');
}

/** True if the Authorization header contains the token. Compares in constant time. */
export function hasBearerToken(header: string | null | undefined, token: string): boolean {
  return isSameToken(header ?? '', `Bearer ${token}`);
}

/** Compares two tokens in constant time. */
export function isSameToken(candidate: string, token: string): boolean {
  // Digests are compared because they have equal length, which `timingSafeEqual` requires.
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(candidate), digest(token));
}
