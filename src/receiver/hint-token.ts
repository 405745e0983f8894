// How a receiver knows a worker: both hold a key of the workspace, and neither sends it.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** What a worker shows to read hints; tells nothing about the key it is made from. */
export function hintToken(apiKey: string): string {
  return createHmac('sha256', apiKey).update('renderline/hints/v1').digest('hex');
}

/** Does the Authorization header carry the token? */
export function carriesToken(header: string | undefined, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  // Digests are of one length, which the comparison demands.
  return timingSafeEqual(digest(header ?? ''), digest(`Bearer ${token}`));
}
