// GUIDs are accepted with or without braces and dashes, in upper and lower case.

/** Returns the normal form of a GUID. Other text is converted to lower case and loses braces around it. */
export function normalizeGuid(id: string): string {
  const bare = id.toLowerCase().replace(/^\{(.*)\}$/, '$1');
  const digits = bare.replaceAll('-', '');
  return /^[0-9a-f]{32}$/.test(digits) ? digits : bare;
}

export function isSameGuid(a: string, b: string): boolean {
  return normalizeGuid(a) === normalizeGuid(b);
}
