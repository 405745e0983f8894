// Parses a single byte range (RFC 9110, section 14). A request for several ranges is answered with the whole file.

export interface ByteRange {
  /** First and last byte, both inclusive, counted from 0. */
  readonly first: number;
  readonly last: number;
}

/** Returns the requested range of a file with this length, or undefined to send the whole file. */
export function parseRange(
  header: string | undefined,
  bytes: number,
): ByteRange | 'unsatisfiable' | undefined {
  const [, from, to] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (from === undefined || to === undefined || (from === '' && to === '')) return undefined;
  const first = from === '' ? Math.max(0, bytes - Number(to)) : Number(from);
  const last = from === '' || to === '' ? bytes - 1 : Math.min(Number(to), bytes - 1);
  if (from !== '' && to !== '' && Number(to) < first) return undefined;
  return first >= bytes || (from === '' && Number(to) === 0) ? 'unsatisfiable' : { first, last };
}
