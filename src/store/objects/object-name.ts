// How keys become names of objects. Names are plain ASCII in one case, so that no file system folds two
// keys into one; short names can be turned back, long ones carry a hash and the key stands inside.
import { createHash } from 'node:crypto';

/** Longest encoded key; leaves room for version, recipe and a temporary suffix in 255 bytes. */
const maxNameChars = 140;
const keptChars = 100;
const maxTokenChars = 56;
const device = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/;

/**
 * Encodes a key as a file name: `/` is `+`, a capital is `!` and its small letter (as in Go's module
 * cache), everything but `a-z 0-9 - _ .` is percent-encoded UTF-8. Longer than 140 characters: the first
 * 100, `~` and a hash. Throws URIError for text with a lone surrogate.
 */
export function encodeKey(key: string): string {
  let name = '';
  for (const char of key) name += encodeChar(char);
  // Hidden files and Windows' devices are no names for objects.
  if (name === '' || name.startsWith('.') || device.test(name)) name = escapeFirst(name);
  if (name.length <= maxNameChars) return name;
  return `${name.slice(0, keptChars)}~${hashOf(key)}`;
}

/** The key of a name that `encodeKey` made; null when the name is shortened or was never made by it. */
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

/** Facts in the name of a record. */
export interface RecordName {
  /** Encoded key. */
  key: string;
  version: string;
  recipe: string;
}

/** `<key>@<version>~<recipe>.json`; version and recipe as the name carries them. */
export function recordName(key: string, version: string, recipe: string): string {
  return `${encodeKey(key)}@${versionToken(version)}~${recipeToken(recipe)}.json`;
}

/** Takes a record's name apart; null when it is none. */
export function parseRecordName(name: string): RecordName | null {
  const match = /^([^@]+)@([^@~]+)~([^@~]+)\.json$/.exec(name);
  const [, key, version, recipe] = match ?? [];
  if (key === undefined || version === undefined || recipe === undefined) return null;
  return { key, version, recipe };
}

/** A version as object names carry it; equal versions have equal tokens. */
export function versionToken(version: string): string {
  const token = encodeKey(version);
  return token.length <= maxTokenChars && !token.includes('~') ? token : hashOf(version);
}

/** A recipe as object names carry it: its first eight characters. */
export function recipeToken(recipe: string): string {
  const token = encodeKey(recipe.slice(0, 8));
  return token.includes('~') ? hashOf(recipe).slice(0, 8) : token;
}

/** Folder of a pipeline: readable, and different for every name. */
export function pipelineSlug(pipeline: string): string {
  const words = pipeline
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 60);
  if (words === pipeline && !device.test(words)) return words;
  return `${words === '' ? 'pipeline' : words}-${hashOf(pipeline).slice(0, 8)}`;
}

/** 128 bits of a hash, in lower-case hex. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
