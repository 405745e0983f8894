// Compares names that look alike to people. Tells whether two names are the same and, if not, how they differ. Pure.

/** Characters that are invisible, or look like a plain space. */
const hidden = /[\p{Cf}\p{Cc}\p{Z}\s]/u;

/** True for the same text in any encoding of accents: ü may be one character, or u with a combining mark. */
export function isSameName(name: string, other: string): boolean {
  return name === other || name.normalize('NFC') === other.normalize('NFC');
}

/** Returns the encodings of a name, the given one first. Systems that compare bytes treat them as different names. */
export function spellingsOf(name: string): string[] {
  return [...new Set([name, name.normalize('NFC'), name.normalize('NFD')])];
}

/** Returns a name as people see it: with single plain spaces and no invisible characters. */
export function toVisibleName(name: string): string {
  return name
    .normalize('NFC')
    .replace(/[\p{Z}\s]+/gu, ' ')
    .replace(/[\p{Cf}\p{Cc}]/gu, '')
    .trim();
}

/** Returns how two names that look alike differ, or null for identical names and for names that look different. */
export function describeDifference(name: string, other: string): string | null {
  if (name === other) return null;
  if (isSameName(name, other)) return 'only the encoding of accents differs';
  const [visible, otherVisible] = [toVisibleName(name), toVisibleName(other)];
  if (visible === otherVisible) return findHiddenDifference(name, other);
  if (visible.toLowerCase() !== otherVisible.toLowerCase()) return null;
  const isCase = isSameName(name.toLowerCase(), other.toLowerCase());
  return isCase ? 'only upper and lower case differ' : 'only case and invisible characters differ';
}

function findHiddenDifference(name: string, other: string): string {
  const characters = (text: string) => Array.from(text.normalize('NFC'));
  const [chars, otherChars] = [characters(name), characters(other)];
  const differenceIndex = chars.findIndex((char, index) => char !== otherChars[index]);
  const index = differenceIndex === -1 ? chars.length : differenceIndex;
  const [ownChar = '', otherChar = ''] = [chars[index], otherChars[index]];
  const isInFirstName = hidden.test(ownChar) && (ownChar !== ' ' || !hidden.test(otherChar));
  const char = isInFirstName ? ownChar : otherChar;
  const code = (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  const difference =
    char === ' ' ? 'a space differs:' : `an invisible character differs: U+${code}`;
  return `only ${difference} at position ${index + 1}${isInFirstName ? '' : ' of the other name'}`;
}
