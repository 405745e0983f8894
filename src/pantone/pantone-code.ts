// Parses a Pantone code in any form that people write. Pantone's lists of numbers are proprietary, so a well-formed
// number passes even if no guide contains it. Colours with a name are checked against `basic-colors.ts`.
import { parseBasicColor } from './basic-colors.ts';

/** `pms`: solid guides; `bridge`: Color Bridge, their simulation in process inks; `fhi`: fashion, home, interiors. */
export type PantoneLibrary = 'pms' | 'bridge' | 'fhi';

export interface PantoneCode {
  readonly valid: true;
  readonly library: PantoneLibrary;
  /** Number or name without the suffix: `186`, `Cool Gray 11`, `19-4052`. */
  readonly code: string;
  /** Abbreviation of the guide, such as `C`. Null if the text states none. */
  readonly suffix: string | null;
  readonly canonical: string;
  readonly issue?: 'substrate-not-stated' | 'suffix-not-stated';
}

export interface NotPantone {
  readonly valid: false;
  readonly issue: 'not-a-pantone-code' | 'no-number' | 'unknown-suffix' | 'bad-number';
}

const solidSuffixes = new Map([
  ['C', 'C'],
  ['U', 'U'],
  ['M', 'M'],
  ['COATED', 'C'],
  ['UNCOATED', 'U'],
  ['MATTE', 'M'],
  // Abbreviations of these guides in design programs.
  ['CV', 'C'],
  ['CVC', 'C'],
  ['CVU', 'U'],
]);
const bridgeSuffixes = new Set(['CP', 'UP', 'EC', 'PC']);
const textileSuffixes = new Set(['TCX', 'TPG', 'TPX', 'TPM', 'TN', 'TSX', 'TC', 'TP']);

/** Reads `186 C`, `pms 186c`, `PANTONE® Cool Grey 11 U`, `19-4052 TCX Classic Blue`. */
export function parsePantone(raw: string): PantoneCode | NotPantone {
  const { text, prefixed } = removePrefix(raw);
  if (text === '') return createNotPantone(prefixed ? 'no-number' : 'not-a-pantone-code');
  return parseTextile(text) ?? parseSolid(text) ?? parseBasic(text, prefixed);
}

/** Returns the form that the platform stores, such as `186 C`. For a solid colour without a guide, `C` is added. */
export function toStoredCode({ library, code, suffix }: PantoneCode): string {
  const storedSuffix = suffix ?? (library === 'pms' ? 'C' : undefined);
  return storedSuffix === undefined ? code : `${code} ${storedSuffix}`;
}

/** True if the text clearly means a Pantone colour, by prefix, suffix or form. */
export function isExplicitCode(raw: string, code: PantoneCode): boolean {
  return code.library === 'fhi' || code.suffix !== null || removePrefix(raw).prefixed;
}

function removePrefix(raw: string): { text: string; prefixed: boolean } {
  const plain = raw.normalize('NFKC').replace(/[®™]|\((?:r|tm)\)/gi, ' ');
  const fullText = plain
    .replace(/TM(?=\s)/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  const text = fullText.replace(
    /^(?:(?:pantone(?:\s+matching\s+system|\+)?|pms)(?![a-z])\s*(?:no\.?(?=\s|\d)|nr\.?(?=\s|\d))?[\s:#.-]*)+/i,
    '',
  );
  return { text: text.replace(/\s*\([^)]*\)$/, '').trim(), prefixed: text !== fullText };
}

function createNotPantone(issue: NotPantone['issue']): NotPantone {
  return { valid: false, issue };
}

function accept(library: PantoneLibrary, code: string, suffix: string | null): PantoneCode {
  const canonical = `PANTONE ${code}${suffix === null ? '' : ` ${suffix}`}`;
  const plain = { valid: true, library, code, suffix, canonical } as const;
  if (suffix !== null) return plain;
  return { ...plain, issue: library === 'fhi' ? 'suffix-not-stated' : 'substrate-not-stated' };
}

/** Parses `19-4052 TCX`: lightness 10-20, then hue and chroma. The name of the colour may follow. */
function parseTextile(text: string): PantoneCode | NotPantone | undefined {
  const match = /^(\d+)-(\d+)(?:\s*([a-z]+))?(\s[^\d,+&]*)?$/i.exec(text);
  if (!match) return undefined;
  const [, lightness = '', color = '', word = '', furtherWords] = match;
  const inRange = lightness.length === 2 && Number(lightness) >= 10 && Number(lightness) <= 20;
  if (!inRange || color.length !== 4) return createNotPantone('bad-number');
  const code = `${lightness}-${color}`;
  const suffix = word.toUpperCase();
  if (textileSuffixes.has(suffix)) return accept('fhi', code, suffix);
  // A colour name is longer than a guide's abbreviation.
  const isName = furtherWords !== undefined || word.length > 3;
  return word === '' || isName ? accept('fhi', code, null) : createNotPantone('unknown-suffix');
}

/** Parses `186 C`: three to five digits. */
function parseSolid(text: string): PantoneCode | NotPantone | undefined {
  const match = /^(\d+)(?:[\s-]*([a-z]+))?$/i.exec(text);
  if (!match) return undefined;
  const [, digits = '', word] = match;
  return withSuffix(digits, word, digits.length >= 3 && digits.length <= 5);
}

/** Parses `Cool Gray 11 C` or `Reflex Blue U`, colours with a name instead of a number. */
function parseBasic(text: string, prefixed: boolean): PantoneCode | NotPantone {
  const basic = parseBasicColor(text);
  if (!basic) return createNotPantone(/^\d/.test(text) ? 'unknown-suffix' : 'not-a-pantone-code');
  const { code, word, number } = basic;
  // `Black` or `Green` alone is a word, not a code.
  const isWord = word === undefined && number === 'none' && !code.includes(' ');
  if (isWord && !prefixed) return createNotPantone('not-a-pantone-code');
  if (number === 'missing') return createNotPantone('no-number');
  return withSuffix(code, word, number !== 'bad');
}

function withSuffix(code: string, word: string | undefined, goodNumber: boolean) {
  if (!goodNumber) return createNotPantone('bad-number');
  if (word === undefined) return accept('pms', code, null);
  const suffix = word.toUpperCase();
  if (bridgeSuffixes.has(suffix)) return accept('bridge', code, suffix);
  const solid = solidSuffixes.get(suffix);
  return solid === undefined ? createNotPantone('unknown-suffix') : accept('pms', code, solid);
}

/** Returns the form of a code that the platform stores (`pms 186c` → `186 C`). Undefined if the text is not a code. */
export function normalizePantoneCode(raw: string): string | undefined {
  const result = parsePantone(raw);
  return result.valid ? toStoredCode(result) : undefined;
}

/** Why a text is refused, as the end of a sentence. */
export const pantoneCodeForm =
  'is not a Pantone code; write a code such as 186 C, Cool Gray 11 C or 19-4052 TCX';
