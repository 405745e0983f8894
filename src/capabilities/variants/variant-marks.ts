// Fingerprints of the variants that a model had, eight characters each, so that they can be stored with the asset.
import { createHash } from 'node:crypto';

/** 48 bits: a collision among a thousand variants has a probability of about one in half a billion. */
const markLength = 8;
/** More than any colorway needs. Their fingerprints add 4 KB to every payload of the asset. */
export const variantsAtMost = 500;

export function marksOf(ids: readonly string[]): string {
  return ids.map(markOf).join('');
}

/** True if the fingerprint of the variant is among `marks`. */
export function isMarked(marks: string, id: string): boolean {
  const mark = markOf(id);
  for (let at = 0; at < marks.length; at += markLength) {
    if (marks.startsWith(mark, at)) return true;
  }
  return false;
}

function markOf(id: string): string {
  return createHash('sha256').update(id).digest('base64url').slice(0, markLength);
}
