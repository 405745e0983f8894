// Tokens that clients show.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** A token that nobody guesses; it may stand in an address. */
export function newToken(): string {
  return randomBytes(24).toString('base64url');
}

/** Does the Authorization header carry the token? In constant time. */
export function carriesToken(header: string | null | undefined, token: string): boolean {
  return isSame(header ?? '', `Bearer ${token}`);
}

/** Compares in constant time. */
export function isSame(shown: string, token: string): boolean {
  // Digests are of one length, which the comparison demands.
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(shown), digest(token));
}
