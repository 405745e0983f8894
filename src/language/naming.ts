// Names of delivered files: a template with {{ fields }} becomes a path that is safe below any folder.
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
const windowsDevice = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;
/** Besides what file systems refuse: what turns the reading direction round or cannot be written at all. */
const unsafeCharacters =
  /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF\\:*?"<>|]/gu;

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
 * changed carries a short hash of what it was, so that two different values never become one name.
 * @throws NamingError for an unknown field, or when nothing is left of the name.
 */
export function renderName(
  template: string,
  fields: Readonly<Record<NamingField, string>>,
): string {
  let path = '';
  for (const piece of pieces(template)) {
    if ('text' in piece) {
      path += piece.text;
      continue;
    }
    if (!isNamingField(piece.field)) {
      throw new NamingError(`{{ ${piece.field} }} is not a field of a naming template`);
    }
    const value = fields[piece.field];
    path +=
      piece.field === 'key'
        ? value.split('/').map(safeValue).filter(Boolean).join('/')
        : safeValue(value.replaceAll('/', '\\'));
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

function safeValue(value: string): string {
  const clean = value.normalize('NFC').replace(unsafeCharacters, '-');
  if (clean === value.normalize('NFC') && clean !== '.' && clean !== '..') return clean;
  return `${clean.replace(/^\.+$/, '-')}~${shortHash(value)}`;
}

function safeSegment(segment: string): string {
  // A trailing dot or space disappears on some systems; a leading dot hides the file.
  let safe = segment.replace(/^[. ]+|[. ]+$/g, '');
  if (windowsDevice.test(safe)) safe = `_${safe}`;
  if (safe !== '' && safe !== segment.trim() && !safe.startsWith('_'))
    safe = beforeExtension(safe, `~${shortHash(segment)}`);
  return shorten(safe, longestSegmentBytes);
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
  for (const byte of Buffer.from(text, 'utf8')) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0).toString(36).padStart(7, '0');
}
