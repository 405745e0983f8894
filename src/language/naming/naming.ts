// Names of delivered files. A template with {{ fields }} becomes a path that is safe below any folder.
import { windowsDevice } from '../../plan/helpers/windows-device.ts';
import type { Row } from '../../plan/rows.ts';
import { dimensionNames } from '../dimension-names.ts';
import { insertBeforeExtension } from './free-name.ts';
import { applyFilters, type FilteredField, parseFilteredField } from './name-filters.ts';
import {
  findPlaceholderProblem,
  findPlaceholders,
  findUnpairedBraces,
  type Placeholder,
} from './placeholders.ts';

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
  ...dimensionNames,
  'bookmark',
  'shot',
] as const;
export type NamingField = (typeof namingFields)[number];

/** Values of the fields of one file, and of the columns of its row. */
export type NamingValues = Readonly<Record<NamingField, string>> & { readonly row?: Row['values'] };

/** Fields that are known only if a node requests exactly one of them. */
export const requestedFields = ['variant', ...dimensionNames, 'bookmark', 'shot'] as const;
export type RequestedField = (typeof requestedFields)[number];

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

type Piece = { text: string } | (FilteredField & { start: number; end: number });

export const maxSegmentBytes = 200;
export const maxPathBytes = 900;
/** Characters that file systems refuse, that change the reading direction, or that cannot be written at all. */
const unsafeCharacters =
  /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF\uFFFD\\:*?"<>|]/gu;
/** Stands for a space of the template, which may be trimmed without a hash. No value contains this character. */
const templateSpace = '\0';

/** Returns everything that is wrong with a naming template. */
export function checkNaming(
  template: string,
  fields: readonly string[] = namingFields,
): NamingProblem[] {
  const placeholders = findPlaceholders(template, '{{');
  const refusal = findPlaceholderProblem(placeholders);
  if (refusal !== null) return [refusal];
  return [
    ...checkFields(template, fields),
    ...checkPath(maskFields(template, placeholders.placeholders)),
  ];
}

/** Returns everything that is wrong with a template that is not a path. */
export function checkTextTemplate(template: string, fields: readonly string[]): NamingProblem[] {
  const refusal = findPlaceholderProblem(findPlaceholders(template, '{{'));
  return refusal === null ? checkFields(template, fields) : [refusal];
}

function checkFields(template: string, fields: readonly string[]): NamingProblem[] {
  const problems: NamingProblem[] = [];
  for (const piece of parseTemplate(template)) {
    if ('text' in piece) continue;
    const { start, end, field, problem } = piece;
    if (!fields.includes(field) && findColumn(field) === null) {
      const message = field === '' ? '{{ }} contains no field' : `{{ ${field} }} is not a field`;
      problems.push({ message, start, end, field });
    } else if (problem !== null) problems.push({ message: problem, start, end });
  }
  const unpaired = findUnpairedBraces(template);
  return unpaired === null ? problems : [...problems, unpaired];
}

function checkPath(text: string): NamingProblem[] {
  const problems: NamingProblem[] = [];
  if (/^\s*\//.test(text)) {
    const message = 'must be a path below the connector, not an absolute one';
    problems.push({ message, start: 0, end: 1 });
  }
  for (const { 0: segment, index: start } of text.matchAll(/(?<=^|\/)\.{1,2}(?=\/|$)/g)) {
    const message = `must not contain the path segment ${segment}`;
    problems.push({ message, start, end: start + segment.length });
  }
  const unsafe = text.search(unsafeCharacters);
  if (unsafe !== -1) {
    const char = JSON.stringify(text[unsafe] ?? '');
    problems.push({ message: `must not contain ${char}`, start: unsafe, end: unsafe + 1 });
  }
  return problems;
}

/**
 * Returns a relative path with forward slashes, without `..`, control characters, device names or segments that are too
 * long. A `/` creates folders only in `key`. A value that had to be changed ends in a hash of the original, so that
 * different values get different names, even on file systems that ignore case. Unchanged values may differ only by
 * case, or may look like a value with a hash: `foldPath` finds these clashes.
 * @throws NamingError for an unknown field, or if the name would be empty
 */
export function renderName(template: string, fields: NamingValues): string {
  let path = '';
  for (const piece of parseTemplate(template)) {
    if ('text' in piece) {
      path += piece.text.replaceAll(' ', templateSpace);
      continue;
    }
    const value = applyFilters(valueOf(piece.field, fields), piece.filters);
    const parts = piece.field === 'key' ? value.split('/').map((part) => toSafeValue(part)) : [];
    path += piece.field === 'key' ? parts.filter(Boolean).join('/') : toSafeName(value);
  }
  const segments = path.split('/').map(toSafeSegment).filter(Boolean);
  if (segments.length === 0)
    throw new NamingError(`the naming template "${template}" produces an empty name`);
  return shortenPath(segments.join('/'));
}

/** Renders a template that is not a path. Only filters change the values. */
export function renderText(template: string, textOf: (field: string) => string): string {
  return renderPieces(parseTemplate(template), textOf);
}

/** Like `renderText`, for a template that was parsed once and is rendered for many assets. */
export function renderPieces(pieces: readonly Piece[], textOf: (field: string) => string): string {
  const render = (piece: Piece) =>
    'text' in piece ? piece.text : applyFilters(textOf(piece.field), piece.filters);
  return pieces.map(render).join('');
}

/** Returns the field of a template that consists of one field without filters, or null for any other template. */
export function findOnlyField(template: string): string | null {
  const pieces = parseTemplate(template).filter((piece) => !('text' in piece) || piece.text !== '');
  const [first] = pieces;
  const isField = pieces.length === 1 && first !== undefined && 'field' in first;
  return isField && first.filters.length === 0 ? first.field : null;
}

/**
 * Returns how a template separates two assets' files. `folder`: each key has its own folder. `name`: the file name is
 * the key, which may equal the numbered file name of another key. Null means neither.
 */
export function findUniqueSegment(template: string): 'folder' | 'name' | null {
  const plain = template.replaceAll(/\{\{\s*(\w+)\s*\}\}/g, '{{$1}}');
  const [, tail] = /^(?:[^{}]|\{\{run\}\})*\{\{key\}\}(.*)$/s.exec(plain) ?? [];
  if (tail === '.{{ext}}') return 'name';
  return tail !== undefined && /^\/[^/]*\{\{ext\}\}$/.test(tail) ? 'folder' : null;
}

/** Replaces each field with a run of `x` of the same length, so that offsets stay valid. */
function maskFields(template: string, fields: readonly Placeholder[]): string {
  let text = '';
  for (const { start, end } of fields) {
    text += template.slice(text.length, start) + 'x'.repeat(end - start);
  }
  return text + template.slice(text.length);
}

/** Returns the column that a field such as `row.sku` refers to, or null for any other field. */
export function findColumn(field: string): string | null {
  return /^row\.([A-Za-z_][A-Za-z0-9_]*)$/.exec(field)?.[1] ?? null;
}

/** True if no field of the template is unique, so that only the data decide whether two assets get different names. */
export function isDataDecisive(template: string): boolean {
  return !fieldsOfTemplate(template).some((field) => ['key', 'model', 'project'].includes(field));
}

/** True if a field of the template belongs to the asset, not only to its output or run. */
export function hasAssetFields(template: string): boolean {
  const names = new Set<string>(['key', 'name', 'model', 'project', 'variant', ...dimensionNames]);
  return fieldsOfTemplate(template).some((field) => names.has(field) || findColumn(field) !== null);
}

export function fieldsOfTemplate(template: string): string[] {
  return parseTemplate(template).flatMap((piece) => ('field' in piece ? [piece.field] : []));
}

/** Returns the columns of the row that a template uses. */
export function columnsOfTemplate(template: string): string[] {
  return fieldsOfTemplate(template).flatMap((field) => findColumn(field) ?? []);
}

function valueOf(field: string, fields: NamingValues): string {
  const namingField = namingFields.find((candidate) => candidate === field);
  if (namingField !== undefined) return fields[namingField];
  const column = findColumn(field);
  if (column === null) throw new NamingError(`{{ ${field} }} is not a field of a naming template`);
  return String(fields.row?.[column] ?? '');
}

export function parseTemplate(template: string): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const { source, start, end } of findPlaceholders(template, '{{').placeholders) {
    const field = { ...parseFilteredField(source), start, end };
    pieces.push({ text: template.slice(from, start) }, field);
    from = end;
  }
  pieces.push({ text: template.slice(from) });
  return pieces;
}

/** Returns a name as one segment of a path, with a hash if it had to be changed. Applying it twice changes nothing. */
export function toSafeName(name: string): string {
  return toSafeValue(name.replaceAll('/', '\\'), hashName(name));
}

/** Returns the text to hash. For compatibility, slashes become backslashes. A name with backslashes still differs. */
function hashName(name: string): string {
  return name.includes('\\') ? `${name}/` : name.replaceAll('/', '\\');
}

/**
 * Folds a path as the strictest common file systems do (APFS, NTFS, ext4 with casefold, SMB shares). Paths that are
 * equal here may be the same file there.
 */
export function foldPath(path: string): string {
  // Upper case first, since several small letters (ς and σ, ß and ss) share a capital. No file system folds ı to i.
  const upper = path.normalize('NFC').replaceAll(/[^ı]+/g, (part) => part.toUpperCase());
  return upper.toLowerCase().normalize('NFC');
}

/** Replaces each match of a pattern by a dash, and appends a short hash of the original if there was a match. */
export function replaceUnsafe(unsafe: RegExp, text: string): string {
  const clean = text.replaceAll(unsafe, '-');
  return clean === text ? text : `${clean}~${shortHashOf(hashName(text))}`;
}

function toSafeValue(value: string, hashed = value): string {
  const clean = value.normalize('NFC').replace(unsafeCharacters, '-');
  if (clean === value.normalize('NFC') && clean !== '.' && clean !== '..') return clean;
  return `${clean.replace(/^\.+$/, '-')}~${shortHashOf(hashed)}`;
}

function toSafeSegment(segment: string): string {
  // Some systems drop a trailing dot or space, and a leading dot hides the file.
  const trimmed = segment.replace(/^[. \0]+|[. \0]+$/g, '');
  const isCut = segment.replace(/^\0+|\0+$/g, '') !== trimmed;
  const plain = trimmed.replaceAll(templateSpace, ' ');
  const isDevice = windowsDevice.test(plain);
  const safe = isDevice ? `_${plain}` : plain || (isCut ? '-' : '');
  if (!isCut && !isDevice && plain === plain.trim()) return shorten(safe, maxSegmentBytes);
  const mark = `~${shortHashOf(segment.replaceAll(templateSpace, ' '))}`;
  return shorten(insertBeforeExtension(safe, mark), maxSegmentBytes);
}

function shortenPath(path: string): string {
  if (Buffer.byteLength(path) <= maxPathBytes) return path;
  const segments = path.split('/');
  return `${shortHashOf(path)}/${segments.at(-1) ?? ''}`;
}

function shorten(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  const dot = text.lastIndexOf('.');
  const extension = dot > 0 && text.length - dot <= 10 ? text.slice(dot) : '';
  const mark = `~${shortHashOf(text)}${extension}`;
  let head = '';
  let bytes = Buffer.byteLength(mark);
  for (const char of text) {
    bytes += Buffer.byteLength(char);
    if (bytes > maxBytes) break;
    head += char;
  }
  return head + mark;
}

/** FNV-1a, 32 bits: enough to distinguish names that would otherwise be equal. */
function shortHashOf(text: string): string {
  let hash = 0x811c9dc5;
  // Lone surrogates are escaped, because UTF-8 encodes each of them as the same replacement character.
  const escape = (half: string) => `\\u${half.charCodeAt(0).toString(16)}`;
  const escapedText = text.replaceAll(/\p{Cs}/gu, escape);
  for (const byte of Buffer.from(escapedText, 'utf8')) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0).toString(36).padStart(7, '0');
}
