// Compares names that look alike to people. Tells whether two names are the same and, if not, how they differ. Pure.

/** Characters that are invisible, or look like a plain space. */
const hidden = /[\p{Cf}\p{Cc}\p{Z}\s]/u;

/** Cyrillic and Greek lookalikes of Latin letters, and those letters, in one order. */
const foreignLetters = 'АВЕКМНОРСТУХЅІЈаеорсухѕіјΑΒΕΖΗΙΚΜΝΟΡΤΥΧο';
const latinLetters = 'ABEKMHOPCTYXSIJaeopcyxsijABEZHIKMNOPTYXo';

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
  if (toLatinLetters(name) === toLatinLetters(other)) return findForeignLetter(name, other);
  if (visible.toLowerCase() !== otherVisible.toLowerCase()) return null;
  const isCase = isSameName(name.toLowerCase(), other.toLowerCase());
  return isCase ? 'only upper and lower case differ' : 'only case and invisible characters differ';
}

/** Returns the name with Latin letters instead of Cyrillic and Greek ones that look the same. */
function toLatinLetters(name: string): string {
  return name
    .normalize('NFC')
    .replace(
      /[\p{sc=Cyrl}\p{sc=Grek}]/gu,
      (char) => latinLetters[foreignLetters.indexOf(char)] ?? char,
    );
}

function findForeignLetter(name: string, other: string): string {
  const { index, ownChar, otherChar } = findFirstDifference(name, other);
  const isInFirstName = toLatinLetters(ownChar) !== ownChar;
  const char = isInFirstName ? ownChar : otherChar;
  const difference = `a letter of another alphabet differs: ${formatCodePoint(char)}`;
  return formatDifference(difference, index, isInFirstName);
}

function findHiddenDifference(name: string, other: string): string {
  const { index, ownChar, otherChar } = findFirstDifference(name, other);
  const isInFirstName = hidden.test(ownChar) && (ownChar !== ' ' || !hidden.test(otherChar));
  const char = isInFirstName ? ownChar : otherChar;
  const difference =
    char === ' ' ? 'a space differs:' : `an invisible character differs: ${formatCodePoint(char)}`;
  return formatDifference(difference, index, isInFirstName);
}

function findFirstDifference(name: string, other: string) {
  const characters = (text: string) => Array.from(text.normalize('NFC'));
  const [chars, otherChars] = [characters(name), characters(other)];
  const differenceIndex = chars.findIndex((char, index) => char !== otherChars[index]);
  const index = differenceIndex === -1 ? chars.length : differenceIndex;
  return { index, ownChar: chars[index] ?? '', otherChar: otherChars[index] ?? '' };
}

function formatCodePoint(char: string): string {
  return `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

function formatDifference(difference: string, index: number, isInFirstName: boolean): string {
  return `only ${difference} at position ${index + 1}${isInFirstName ? '' : ' of the other name'}`;
}
