// The spellings of one id: people and the platform write GUIDs in any case, with or without braces and dashes.

const guid = /^[0-9a-f]{32}$/;

/** Creates a predicate for bytes that contain the id in any spelling, for a quick search through many objects. */
export function createIdSearch(id: string): (bytes: Buffer) => boolean {
  const bare = toCanonicalId(id);
  if (!guid.test(bare)) return (bytes) => bytes.includes(id);
  const spelling = new RegExp(Array.from(bare).join('-?'), 'i');
  return (bytes) => spelling.test(bytes.toString('latin1'));
}

/** Returns the id, and a GUID in upper and lower case with and without dashes, for exact searches. */
export function idSpellingsOf(id: string): string[] {
  const bare = toCanonicalId(id);
  if (!guid.test(bare)) return [id];
  const dashed = bare.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  const lowerCase = [bare, dashed];
  return [...new Set([id, ...lowerCase, ...lowerCase.map((text) => text.toUpperCase())])];
}

/** Creates a predicate for texts that are the id in any spelling. */
export function createIdMatcher(id: string): (text: string) => boolean {
  const canonical = toCanonicalId(id);
  return (text) => toCanonicalId(text) === canonical;
}

/** Returns the same text for all spellings of a GUID, and any other id unchanged. */
export function toCanonicalId(text: string): string {
  const bare = text.replaceAll(/[{}-]/g, '').toLowerCase();
  return guid.test(bare) ? bare : text;
}
