// Pseudo-random ids and durations that depend only on a seed.
import { createHash } from 'node:crypto';

function hashParts(seed: number, ...parts: (string | number)[]): Buffer {
  return createHash('sha1')
    .update(`${seed}/${parts.join('/')}`)
    .digest();
}

/** Returns a number in [0, 1) that depends only on the seed and the parts. */
export function randomFraction(seed: number, ...parts: (string | number)[]): number {
  return hashParts(seed, ...parts).readUInt32BE(0) / 0x1_0000_0000;
}

/** Creates a GUID that depends only on the seed and the parts. The platform's variant ids are GUIDs. */
export function createGuid(seed: number, ...parts: (string | number)[]): string {
  const hex = hashParts(seed, ...parts).toString('hex');
  const variant = '89ab'.charAt(Number.parseInt(hex.charAt(16), 16) % 4);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
