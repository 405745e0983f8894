// Names that people cannot tell apart when they see them: what is the same name, and what differs where it is none. Pure.

/** Characters that are not seen, or that are seen as a plain space. */
const hidden = /[\p{Cf}\p{Cc}\p{Z}\s]/u;

/** True for the same text, however its accents are encoded: ü is one character, or a u and a mark. */
export function isSameName(one: string, other: string): boolean {
  return one === other || one.normalize('NFC') === other.normalize('NFC');
}

/** The encodings of one name, as it stands first. Systems that compare bytes take them for different names. */
export function spellingsOf(name: string): string[] {
  return [...new Set([name, name.normalize('NFC'), name.normalize('NFD')])];
}

/** A name as people see it: plain single spaces, and nothing that is not seen. */
export function visibleName(name: string): string {
  return name
    .normalize('NFC')
    .replace(/[\p{Z}\s]+/gu, ' ')
    .replace(/[\p{Cf}\p{Cc}]/gu, '')
    .trim();
}

/** What differs between two names that look alike; null for names that look different, and for one text twice. */
export function differenceOf(name: string, other: string): string | null {
  if (name === other) return null;
  if (isSameName(name, other)) return 'only the encoding of accents differs';
  const [one, two] = [visibleName(name), visibleName(other)];
  if (one === two) return hiddenDifference(name, other);
  if (one.toLowerCase() !== two.toLowerCase()) return null;
  const isCase = isSameName(name.toLowerCase(), other.toLowerCase());
  return isCase ? 'only upper and lower case differ' : 'only case and invisible characters differ';
}

function hiddenDifference(name: string, other: string): string {
  const characters = (text: string) => Array.from(text.normalize('NFC'));
  const [one, two] = [characters(name), characters(other)];
  const at = one.findIndex((char, index) => char !== two[index]);
  const index = at === -1 ? one.length : at;
  const [mine = '', theirs = ''] = [one[index], two[index]];
  const isMine = hidden.test(mine) && (mine !== ' ' || !hidden.test(theirs));
  const char = isMine ? mine : theirs;
  const code = (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  const what = char === ' ' ? 'a space differs:' : `an invisible character differs: U+${code}`;
  return `only ${what} at position ${index + 1}${isMine ? '' : ' of the other'}`;
}
