import { encodeKey } from '../objects/object-name.ts';

/** No asset key contains this character. */
const movePrefix = '\u001f';
const encodedPrefix = encodeKey(movePrefix);

export function moveClaimKey(record: string): string {
  return `${movePrefix}${record}`;
}

export function isMoveClaim(name: string): boolean {
  return name.startsWith(encodedPrefix);
}
