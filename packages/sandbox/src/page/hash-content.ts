import { createHash } from 'node:crypto';

/** Returns a short hash of the content. */
export function hashContent(content: unknown): string {
  return createHash('sha1').update(JSON.stringify(content)).digest('base64url').slice(0, 16);
}
