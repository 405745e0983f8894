// One id in the ways that people and the platform write it: GUIDs come with or without braces and dashes (4.13).

const guid = /^[0-9a-f]{32}$/;
const dashed = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/;

/** Texts of which one is there wherever the id is; for a quick look through bytes. */
export function spellingsOf(id: string): string[] {
  const bare = bareGuid(id);
  if (bare === null) return [id];
  const withDashes = bare.replace(dashed, '$1-$2-$3-$4-$5');
  return [bare, withDashes, bare.toUpperCase(), withDashes.toUpperCase()];
}

/** Tells whether a text is the id, however it is spelt. */
export function isIdOf(id: string): (text: string) => boolean {
  const bare = bareGuid(id);
  if (bare === null) return (text) => text === id;
  return (text) => bareGuid(text) === bare;
}

function bareGuid(text: string): string | null {
  const bare = text.replaceAll(/[{}-]/g, '').toLowerCase();
  return guid.test(bare) ? bare : null;
}
