// GUIDs are taken with or without braces and dashes, in either case (4.13).

/** One spelling for all forms of a GUID; other texts only lose their case. */
export function normalGuid(id: string): string {
  const bare = id.toLowerCase().replace(/^\{(.*)\}$/, '$1');
  const digits = bare.replaceAll('-', '');
  return /^[0-9a-f]{32}$/.test(digits) ? digits : bare;
}

export function sameGuid(one: string, other: string): boolean {
  return normalGuid(one) === normalGuid(other);
}
