// Turns keys into object names. Names are ASCII in one case, so that file systems never map two keys to one name. Short
// names can be decoded. Long names end in a hash, and the object contains the key.
import { createHash } from 'node:crypto';

/** Maximum length of an encoded key. It leaves room for version, recipe and a temporary suffix in 255 bytes. */
const maxNameChars = 140;
const maxKeptChars = 100;
const maxTokenChars = 56;
const reservedName = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/;

/**
 * Encodes a key as a file name: `/` becomes `+`, a capital becomes `!` and its small letter (as in Go's module cache),
 * and everything but `a-z 0-9 - _ .` is percent-encoded UTF-8. A name of more than 140 characters is cut to the first
 * 100, `~` and a hash.
 * @throws URIError for text with a lone surrogate
 */
export function encodeKey(key: string): string {
  let name = '';
  for (const char of key) name += encodeChar(char);
  // Hidden files and Windows device names cannot be object names.
  if (name === '' || name.startsWith('.') || reservedName.test(name)) name = escapeFirst(name);
  if (name.length <= maxNameChars) return name;
  return `${name.slice(0, maxKeptChars)}~${hashOf(key)}`;
}

/** Returns the prefix of the encoded form of every key that starts with this text. */
export function encodeKeyStart(text: string): string {
  return encodeKey(text).slice(0, maxKeptChars);
}

/** Returns the part of a record's name that all cells of a model share. Other assets may have the same part. */
export function modelPartOf(name: string): string {
  const [part = name] = name.slice(0, maxKeptChars).split(encodeChar('@'), 1);
  return part;
}

/** Decodes a name. Returns null if the name is shortened or was not created by `encodeKey`. */
export function decodeKey(name: string): string | null {
  if (name === '%') return '';
  if (name.includes('~')) return null;
  try {
    const text = name
      .replaceAll('+', '%2f')
      .replaceAll(/!([a-z])/g, (_, letter: string) => letter.toUpperCase());
    const key = decodeURIComponent(text);
    return encodeKey(key) === name ? key : null;
  } catch {
    return null;
  }
}

function encodeChar(char: string): string {
  if (/^[a-z0-9\-_.]$/.test(char)) return char;
  if (/^[A-Z]$/.test(char)) return `!${char.toLowerCase()}`;
  if (char === '/') return '+';
  const encoded = encodeURIComponent(char);
  if (encoded.length > 1) return encoded.toLowerCase();
  return `%${char.charCodeAt(0).toString(16).padStart(2, '0')}`;
}

function escapeFirst(name: string): string {
  if (name === '') return '%';
  return `%${name.charCodeAt(0).toString(16)}${name.slice(1)}`;
}

export interface RecordName {
  key: string;
  version: string;
  recipe: string;
}

/** Returns `<key>@<version>~<recipe>.json`, with version and recipe as tokens. */
export function recordName(key: string, version: string, recipe: string): string {
  return `${encodeKey(key)}@${versionTokenOf(version)}~${recipeTokenOf(recipe)}.json`;
}

/** Splits a record's name. Returns null if `name` is not the name of a record. */
export function parseRecordName(name: string): RecordName | null {
  const match = /^([^@]+)@([^@~]+)~([^@~]+)\.json$/.exec(name);
  const [, key, version, recipe] = match ?? [];
  if (key === undefined || version === undefined || recipe === undefined) return null;
  return { key, version, recipe };
}

/** Returns a version as it appears in object names. Equal versions have equal tokens. */
export function versionTokenOf(version: string): string {
  const token = encodeKey(version);
  return token.length <= maxTokenChars && !token.includes('~') ? token : hashOf(version);
}

/** Returns a recipe's token for object names: its first eight characters, or a hash if these contain `~`. */
export function recipeTokenOf(recipe: string): string {
  const token = encodeKey(recipe.slice(0, 8));
  return token.includes('~') ? hashOf(recipe).slice(0, 8) : token;
}

/** Returns the folder name of a pipeline, which is readable and unique for every name. */
export function pipelineSlugOf(pipeline: string): string {
  const slug = pipeline
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 60);
  if (slug === pipeline && !reservedName.test(slug)) return slug;
  return `${slug === '' ? 'pipeline' : slug}-${hashOf(pipeline).slice(0, 8)}`;
}

/** Returns the folder of everything that a run stores. */
export function runFolder(run: string): string {
  return `runs/${encodeKey(run)}`;
}

/** Returns a number as a name. Names of equal length sort by their numbers. */
export function numberName(number: number, digits: number): string {
  return String(number).padStart(digits, '0');
}

/** Returns 128 bits of a sha256, in lower-case hex. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
