// One range of bytes, as RFC 9110 section 14 has it. Several ranges at once are answered with the whole.

export interface ByteRange {
  /** Both count from 0 and are part of the range. */
  readonly first: number;
  readonly last: number;
}

/** The range that a header asks of so many bytes; undefined where the whole is to be sent. */
export function rangeOf(
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
