// Names of delivered files: a template with {{ fields }} becomes a path that is safe below any folder.
import { windowsDevice } from '../plan/windows-device.ts';
import { type Placeholder, placeholdersIn, refusePlaceholders } from './placeholders.ts';

export const namingFields = [
  'key',
  'name',
  'output',
  'index',
  'ext',
  'model',
  'project',
  'template',
  'run',
  'variant',
  'colorway',
  'view',
  'bookmark',
  'shot',
] as const;
export type NamingField = (typeof namingFields)[number];

/** Fields that are known only where a node has asked for exactly one of them. */
export const askedFields = ['variant', 'colorway', 'view', 'bookmark', 'shot'] as const;
export type AskedField = (typeof askedFields)[number];

/** Thrown for a template that the checker would have refused. */
export class NamingError extends Error {
  override name = 'NamingError';
}

export interface NamingProblem {
  message: string;
  /** Offsets in the template. */
  start: number;
  end: number;
  field?: string;
}

type Piece = { text: string } | { field: string; start: number; end: number };

export const longestSegmentBytes = 200;
export const longestPathBytes = 900;
/** Besides what file systems refuse: what turns the reading direction round or cannot be written at all. */
const unsafeCharacters =
  /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF\uFFFD\\:*?"<>|]/gu;
/** Stands for a space of the template, which no asset needs to be told apart. No value holds this character. */
const templateSpace = '\0';

/** Everything wrong with a naming template. */
export function checkNaming(
  template: string,
  fields: readonly string[] = namingFields,
): NamingProblem[] {
  const problems: NamingProblem[] = [];
  const { found, unclosed, unopened } = placeholdersIn(template, '{{');
  const refusal = refusePlaceholders({ found, unclosed, unopened });
  if (refusal !== null) return [refusal];
  for (const piece of pieces(template)) {
    if ('field' in piece) {
      if (!fields.includes(piece.field)) {
        const { start, end, field } = piece;
        const message = field === '' ? '{{ }} names no field' : `{{ ${field} }} is not a field`;
        problems.push({ message, start, end, field });
      }
    }
  }
  const text = withoutFields(template, found);
  const lone = unopened === -1 ? unclosed : unopened;
  if (lone !== -1) {
    const message = `${template.slice(lone, lone + 2)} without its pair`;
    problems.push({ message, start: lone, end: lone + 2 });
  }
  if (/^\s*\//.test(text)) {
    problems.push({
      message: 'must be a path below the connector, not an absolute one',
      start: 0,
      end: 1,
    });
  }
  for (const match of text.matchAll(/(?<=^|\/)\.{1,2}(?=\/|$)/g)) {
    const end = match.index + match[0].length;
    problems.push({
      message: `must not hold the path segment ${match[0]}`,
      start: match.index,
      end,
    });
  }
  const unsafe = text.search(unsafeCharacters);
  if (unsafe !== -1) {
    const shown = JSON.stringify(text[unsafe] ?? '');
    problems.push({ message: `must not hold ${shown}`, start: unsafe, end: unsafe + 1 });
  }
  return problems;
}

/**
 * The path, with forward slashes, relative, without `..`, control characters, device names or segments
 * that are too long. A `/` in `key` makes folders; in any other field it does not. A value that had to be
 * changed carries a short hash of what it was, so that two different values never become one name, not even where
 * a file system folds case. Values that are safe stay as they are, so two of them may differ only by case, and a value
 * may look like one with a hash: `foldPath` finds these clashes.
 * @throws NamingError for an unknown field, or when nothing is left of the name.
 */
export function renderName(
  template: string,
  fields: Readonly<Record<NamingField, string>>,
): string {
  let path = '';
  for (const piece of pieces(template)) {
    if ('text' in piece) {
      path += piece.text.replaceAll(' ', templateSpace);
      continue;
    }
    if (!isNamingField(piece.field)) {
      throw new NamingError(`{{ ${piece.field} }} is not a field of a naming template`);
    }
    const value = fields[piece.field];
    path +=
      piece.field === 'key'
        ? value
            .split('/')
            .map((part) => safeValue(part))
            .filter(Boolean)
            .join('/')
        : safeName(value);
  }
  const segments = path
    .split('/')
    .map(safeSegment)
    .filter((segment) => segment !== '');
  if (segments.length === 0)
    throw new NamingError(`the naming template "${template}" gives no name`);
  return shortPath(segments.join('/'));
}

/**
 * The part of a template that keeps the files of two assets apart: a folder for each key, or its name alone, which a
 * number behind the name of another can equal; null where nothing does so for certain.
 */
export function apartBy(template: string): 'folder' | 'name' | null {
  const plain = template.replaceAll(/\{\{\s*(\w+)\s*\}\}/g, '{{$1}}');
  const [, tail] = /^(?:[^{}]|\{\{run\}\})*\{\{key\}\}(.*)$/s.exec(plain) ?? [];
  if (tail === '.{{ext}}') return 'name';
  return tail !== undefined && /^\/[^/]*\{\{ext\}\}$/.test(tail) ? 'folder' : null;
}

/** Keeps the length, so that offsets stay right. */
function withoutFields(template: string, fields: readonly Placeholder[]): string {
  let text = '';
  for (const { start, end } of fields) {
    text += template.slice(text.length, start) + 'x'.repeat(end - start);
  }
  return text + template.slice(text.length);
}

function isNamingField(field: string): field is NamingField {
  return namingFields.some((known) => known === field);
}

export function pieces(template: string): Piece[] {
  const all: Piece[] = [];
  let from = 0;
  for (const { source, start, end } of placeholdersIn(template, '{{').found) {
    all.push({ text: template.slice(from, start) }, { field: source, start, end });
    from = end;
  }
  all.push({ text: template.slice(from) });
  return all;
}

/** A name as one segment of a path, with a hash where it had to be changed. A second call changes nothing. */
export function safeName(name: string): string {
  return safeValue(name.replaceAll('/', '\\'), hashedForm(name));
}

/** A slash counts as a backslash, as it always has; a name with backslashes of its own gets another hash. */
function hashedForm(name: string): string {
  return name.includes('\\') ? `${name}/` : name.replaceAll('/', '\\');
}

/**
 * A path as the strictest usual file system compares it (APFS, NTFS, ext4 with casefold, SMB shares): paths that are
 * equal here may be one file there.
 */
export function foldPath(path: string): string {
  // Upper case first, since several small letters (ς and σ, ß and ss) have one capital. No file system folds ı to i.
  const upper = path.normalize('NFC').replaceAll(/[^ı]+/g, (part) => part.toUpperCase());
  return upper.toLowerCase().normalize('NFC');
}

/** A text with a dash for each character of a pattern and, where there was one, a short hash of what it was. */
export function without(unsafe: RegExp, text: string): string {
  const clean = text.replaceAll(unsafe, '-');
  return clean === text ? text : `${clean}~${shortHash(hashedForm(text))}`;
}

function safeValue(value: string, hashed = value): string {
  const clean = value.normalize('NFC').replace(unsafeCharacters, '-');
  if (clean === value.normalize('NFC') && clean !== '.' && clean !== '..') return clean;
  return `${clean.replace(/^\.+$/, '-')}~${shortHash(hashed)}`;
}

function safeSegment(segment: string): string {
  // A trailing dot or space disappears on some systems; a leading dot hides the file.
  const trimmed = segment.replace(/^[. \0]+|[. \0]+$/g, '');
  const isCut = segment.replace(/^\0+|\0+$/g, '') !== trimmed;
  const plain = trimmed.replaceAll(templateSpace, ' ');
  const isDevice = windowsDevice.test(plain);
  const safe = isDevice ? `_${plain}` : plain || (isCut ? '-' : '');
  if (!isCut && !isDevice && plain === plain.trim()) return shorten(safe, longestSegmentBytes);
  const mark = `~${shortHash(segment.replaceAll(templateSpace, ' '))}`;
  return shorten(beforeExtension(safe, mark), longestSegmentBytes);
}

function shortPath(path: string): string {
  if (Buffer.byteLength(path) <= longestPathBytes) return path;
  const segments = path.split('/');
  return `${shortHash(path)}/${segments.at(-1) ?? ''}`;
}

function shorten(text: string, mostBytes: number): string {
  if (Buffer.byteLength(text) <= mostBytes) return text;
  const dot = text.lastIndexOf('.');
  const extension = dot > 0 && text.length - dot <= 10 ? text.slice(dot) : '';
  const mark = `~${shortHash(text)}${extension}`;
  let kept = '';
  let bytes = Buffer.byteLength(mark);
  for (const char of text) {
    bytes += Buffer.byteLength(char);
    if (bytes > mostBytes) break;
    kept += char;
  }
  return kept + mark;
}

function beforeExtension(name: string, mark: string): string {
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(0, dot) + mark + name.slice(dot) : name + mark;
}

/** FNV-1a, 32 bits: enough to tell names apart that would otherwise be one. */
function shortHash(text: string): string {
  let hash = 0x811c9dc5;
  // UTF-8 has one and the same replacement for every lone surrogate.
  const whole = text.replaceAll(/\p{Cs}/gu, (half) => `\\u${half.charCodeAt(0).toString(16)}`);
  for (const byte of Buffer.from(whole, 'utf8')) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0).toString(36).padStart(7, '0');
}
