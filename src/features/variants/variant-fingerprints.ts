// Fingerprints of a model's variants, eight characters each, so that they can be stored with the asset.
import { createHash } from 'node:crypto';

/** 48 bits: a collision among a thousand variants has a probability of about one in half a billion. */
const fingerprintLength = 8;
/** Maximum number of variants of a model. Their fingerprints add up to 4 KB to each payload that contains the asset. */
export const maxVariants = 500;

export function fingerprintsOf(ids: readonly string[]): string {
  return ids.map(fingerprintOf).join('');
}

/** True if `fingerprints` contains the fingerprint of the variant. */
export function hasFingerprint(fingerprints: string, id: string): boolean {
  const mark = fingerprintOf(id);
  for (let offset = 0; offset < fingerprints.length; offset += fingerprintLength) {
    if (fingerprints.startsWith(mark, offset)) return true;
  }
  return false;
}

function fingerprintOf(id: string): string {
  return createHash('sha256').update(id).digest('base64url').slice(0, fingerprintLength);
}
