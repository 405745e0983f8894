// Hashes of JSON that do not depend on the order of keys.
import { createHash } from 'node:crypto';
import type { Json } from '../plan/types.ts';

const hashLength = 16;

/** Returns the first 16 hex digits of the sha256 of the value's canonical JSON. */
export function computeShortSha256(value: Json): string {
  return createHash('sha256').update(toCanonicalJson(value)).digest('hex').slice(0, hashLength);
}

/** Returns JSON with sorted keys and no spaces. */
export function toCanonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(toCanonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${toCanonicalJson(value[key] ?? null)}`);
  return `{${fields.join(',')}}`;
}
