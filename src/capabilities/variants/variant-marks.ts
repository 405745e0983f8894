// The variants that a model had, small enough to travel with the asset: a mark of eight characters each.
import { createHash } from 'node:crypto';

/** 48 bits: two of a thousand variants have one mark in one of half a billion models. */
const markLength = 8;
/** More than any colorway needs; their marks are 4 KB in every payload of the asset. */
export const variantsAtMost = 500;

export function marksOf(ids: readonly string[]): string {
  return ids.map(markOf).join('');
}

/** True for a variant among those that were marked. */
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
