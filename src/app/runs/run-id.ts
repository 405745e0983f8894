import { randomBytes } from 'node:crypto';

/** Creates an id `<pipeline>-<yyyymmdd>-<hhmmss>-<4 random hex digits>` in UTC, of at most 80 characters. */
export function createRunId(pipeline: string, nowMs: number, random = randomBytes(2)): string {
  const digits = new Date(nowMs).toISOString().replace(/\D/g, '');
  return `${slug(pipeline)}-${digits.slice(0, 8)}-${digits.slice(8, 14)}-${random.toString('hex')}`;
}

/** Converts a name to lower-case letters, digits and dashes. The result is never empty. */
export function slug(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-');
  return plain.slice(0, 56).replace(/^-+|-+$/g, '') || 'run';
}
