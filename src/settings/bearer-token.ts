// Tokens that clients show as `Authorization: Bearer`.
import { createHash, timingSafeEqual } from 'node:crypto';

/** Does the Authorization header carry the token? In constant time. */
export function carriesToken(header: string | null | undefined, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  // Digests are of one length, which the comparison demands.
  return timingSafeEqual(digest(header ?? ''), digest(`Bearer ${token}`));
}
