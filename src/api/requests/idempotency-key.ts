// Idempotency keys and request bodies. The same work has the same key and the same bytes in every attempt.
import { createHash } from 'node:crypto';

export interface KeyParts {
  /** Id of a run's first start. Retry, reset, continue-as-new and rerun inherit it. */
  lineage: string;
  /** The write of the pipeline that the key identifies. */
  step: string;
  /** Asset keys, in any order. */
  assets: readonly string[];
  /** Counts repeated calls of a step for the same assets: retries, calls for new upload links, reruns. */
  epoch: number;
}

/** Creates the Idempotency-Key of a creating POST: a 46-character hash of lineage, step, sorted assets and epoch. */
export function createIdempotencyKey(parts: KeyParts): string {
  const assets = [...parts.assets].sort();
  const text = JSON.stringify([parts.lineage, parts.step, assets, parts.epoch]);
  return `rl-${createHash('sha256').update(text).digest('base64url')}`;
}

function sortKeys(value: unknown, path: string): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new TypeError(`a request body cannot contain ${value} (at ${path})`);
  }
  if (Array.isArray(value)) return value.map((item, index) => sortKeys(item, `${path}[${index}]`));
  if (typeof value !== 'object' || value === null) return value;
  const pairs = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, item]) => [name, sortKeys(item, `${path}.${name}`)]);
  return Object.fromEntries(pairs);
}

/** Formats canonical JSON, with sorted names and no `undefined`, so a retry with the same key never fails with 422. */
export function toRequestBodyText(value: unknown): string {
  return JSON.stringify(sortKeys(value, 'body'));
}
