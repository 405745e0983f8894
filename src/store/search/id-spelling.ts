// The spellings of one id: people and the platform write GUIDs with or without braces and dashes.

const guid = /^[0-9a-f]{32}$/;
const dashed = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/;

/** Texts of which one occurs wherever the id occurs, unless in mixed case; for a quick search through bytes. */
export function spellingsOf(id: string): string[] {
  const bare = bareGuid(id);
  if (bare === null) return [id];
  const withDashes = bare.replace(dashed, '$1-$2-$3-$4-$5');
  return [bare, withDashes, bare.toUpperCase(), withDashes.toUpperCase()];
}

/** Creates a predicate for texts that are the id in any spelling. */
export function createIdMatcher(id: string): (text: string) => boolean {
  const bare = bareGuid(id);
  if (bare === null) return (text) => text === id;
  return (text) => bareGuid(text) === bare;
}

function bareGuid(text: string): string | null {
  const bare = text.replaceAll(/[{}-]/g, '').toLowerCase();
  return guid.test(bare) ? bare : null;
}
