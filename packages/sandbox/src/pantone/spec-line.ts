// Parses the line that people write under a logo: `3.5 x 2 in / 2 colors / PMS 186, white / screen print`.

import { isExplicitCode, type PantoneCode, parsePantone } from 'renderline/pantone/pantone-code';
import { parseColorCount } from './color-count.ts';
import { parseLocation } from './location.ts';
import { type Method, parseMethod } from './methods.ts';
import { type ArtworkSize, parseSize } from './size.ts';
import { splitPart, splitSpec } from './spec-split.ts';

export interface SpecInk {
  readonly raw: string;
  /** `process` is CMYK, four inks. `named` needs no code. `hex` and `unknown` are not orderable inks. */
  readonly kind: 'pantone' | 'named' | 'process' | 'hex' | 'unknown';
  readonly canonical?: string;
  /** The name that the line contains for a Pantone ink, in addition to its code. */
  readonly name?: string;
  readonly pantone?: PantoneCode;
}

export type SpecIssue =
  | 'empty'
  | 'size-missing'
  | 'unit-missing'
  | 'mixed-units'
  | 'size-not-positive'
  | 'method-missing'
  | 'color-count-mismatch'
  | 'duplicate-ink'
  | 'substrate-not-stated'
  | 'suffix-not-stated'
  | 'ink-with-inkless-method'
  | 'ink-to-be-decided'
  | 'unknown-ink'
  | 'hex-not-an-ink';

export interface SpecLine {
  readonly size: ArtworkSize | null;
  readonly colorCount: number | null;
  /** True if the count means process inks, which need not be listed. */
  readonly process: boolean;
  readonly inks: readonly SpecInk[];
  /** Parts that announce an ink without naming it: `TBD`. */
  readonly undecided: readonly string[];
  readonly method: Method | null;
  readonly location: string | null;
  readonly issues: readonly SpecIssue[];
}

type SpecPart =
  | { readonly is: 'size'; readonly size: ArtworkSize }
  | { readonly is: 'count'; readonly count: number; readonly process: boolean }
  | { readonly is: 'method'; readonly method: Method }
  | { readonly is: 'location'; readonly location: string }
  | { readonly is: 'undecided'; readonly raw: string }
  | { readonly is: 'ink'; readonly ink: SpecInk };

/** Parses a whole line. Parts that are not understood become inks of kind `unknown`. */
export function parseSpecLine(line: string): SpecLine {
  const parts = splitSpec(line).flatMap(parsePart);
  const partsOf = <K extends SpecPart['is']>(kind: K) =>
    parts.filter((part): part is Extract<SpecPart, { is: K }> => part.is === kind);
  const fields = {
    size: partsOf('size')[0]?.size ?? null,
    colorCount: partsOf('count')[0]?.count ?? null,
    process: partsOf('count')[0]?.process ?? false,
    inks: partsOf('ink').map(({ ink }) => ink),
    undecided: partsOf('undecided').map(({ raw }) => raw),
    method: partsOf('method')[0]?.method ?? null,
    location: partsOf('location')[0]?.location ?? null,
  };
  return { ...fields, issues: parts.length === 0 ? ['empty'] : issuesOf(fields) };
}

/** True if a stated count differs from the number of inks. `4cp` is complete, because process inks are not listed. */
function isCountDifferent({ colorCount, process, inks }: Omit<SpecLine, 'issues'>): boolean {
  if (colorCount === null || (process && inks.length === 0)) return false;
  return colorCount !== inks.reduce((sum, { kind }) => sum + (kind === 'process' ? 4 : 1), 0);
}

function issuesOf(fields: Omit<SpecLine, 'issues'>): SpecIssue[] {
  const { size, inks, undecided, method } = fields;
  const issues = new Set<SpecIssue>();
  if (size === null) issues.add('size-missing');
  else {
    if (size.unit === null) issues.add('unit-missing');
    if (Array.isArray(size.unit)) issues.add('mixed-units');
    const sides = [size.width, size.height, size.diameter];
    if (sides.some((value) => value !== undefined && value <= 0)) issues.add('size-not-positive');
  }
  if (method === null) issues.add('method-missing');
  if (method?.inkless === true && inks.length > 0) issues.add('ink-with-inkless-method');
  if (undecided.length > 0) issues.add('ink-to-be-decided');
  else if (isCountDifferent(fields)) issues.add('color-count-mismatch');
  const inkKeys = new Set<string>();
  for (const { raw, kind, canonical, pantone } of inks) {
    const key = canonical ?? raw.toLowerCase();
    if (inkKeys.has(key)) issues.add('duplicate-ink');
    inkKeys.add(key);
    if (kind === 'unknown') issues.add('unknown-ink');
    if (kind === 'hex') issues.add('hex-not-an-ink');
    if (pantone?.issue !== undefined) issues.add(pantone.issue);
  }
  return [...issues];
}

/** Parses a part: one item, or a list with at least one understood item. Anything else is an unknown ink. */
function parsePart(part: string): SpecPart[] {
  const phraseParts = parsePhrase(part);
  if (phraseParts) return phraseParts;
  const pieces = splitPart(part);
  const parsedPieces = pieces.map(parsePhrase);
  const understood = parsedPieces.filter((parts) => parts !== undefined).length;
  // Unknown pieces of a list are unknown inks. A phrase with a comma is not a list if none of its pieces is understood.
  if (pieces.length > 1 && understood > 0) {
    return parsedPieces.flatMap((parts, index) => parts ?? [createUnknownInk(pieces[index] ?? '')]);
  }
  return [createUnknownInk(part)];
}

function createUnknownInk(raw: string): SpecPart {
  return { is: 'ink', ink: { raw, kind: 'unknown' } };
}

/** Parses a phrase. `2-color screen print` results in two parts. Returns undefined if the phrase is not understood. */
function parsePhrase(text: string): SpecPart[] | undefined {
  const size = parseSize(text);
  if (size) return [{ is: 'size', size }];
  const colorCount = parseColorCount(text);
  if (colorCount) {
    const { count, process, rest } = colorCount;
    const otherParts = /^(?:print(?:s|ed|ing)?)?$/i.test(rest) ? [] : parsePhrase(rest);
    return otherParts && [{ is: 'count', count, process }, ...otherParts];
  }
  if (/^(?:tb[dacn]|to be (?:\w+)|n\/a|\?+)$/i.test(text)) return [{ is: 'undecided', raw: text }];
  const ink = parseInk(text);
  if (ink) return [{ is: 'ink', ink }];
  const method = parseMethod(text);
  if (method) return [{ is: 'method', method }];
  const location = parseLocation(text);
  return location === undefined ? undefined : [{ is: 'location', location }];
}

const processInk =
  /^(?:cmyk|4cp|process(?: colou?rs?)?|4[\s-]*colou?r process|four[\s-]*colou?r process)$/i;
const codelessInk =
  /^(?:(?:w\/|with|plus)\s*)?(?:(?:opaque|bright|pure|solid|flat|jet|natural|off)[\s-]+)?(?:white|black)(?:\s+(?:ink|base|underbase|thread))?$/i;

function parseInk(raw: string): SpecInk | undefined {
  if (processInk.test(raw)) return { raw, kind: 'process' };
  if (/^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i.test(raw)) return { raw, kind: 'hex' };
  if (codelessInk.test(raw)) return { raw, kind: 'named' };
  const plain = parsePantone(raw);
  if (plain.valid) return createPantoneInk(raw, plain);
  return parseNamedPantone(raw);
}

function createPantoneInk(raw: string, pantone: PantoneCode, name?: string): SpecInk {
  const { canonical } = pantone;
  return { raw, kind: 'pantone', canonical, pantone, ...(name ? { name } : {}) };
}

/** `Team Red = PMS 186 C`, `186 C (red)`: a name before or after an explicit code. */
function parseNamedPantone(raw: string): SpecInk | undefined {
  // A list of inks is parsed piece by piece instead.
  if (/[,+&|]|\sand\s/i.test(raw)) return undefined;
  const words = raw.split(/[\s:=()[\]]+/).filter((word) => word !== '' && !/^[-–—]+$/.test(word));
  for (let index = 1; index < words.length; index += 1) {
    const [before, after] = [words.slice(0, index).join(' '), words.slice(index).join(' ')];
    const code = parseExplicitCode(after);
    if (code && !parseExplicitCode(before)) return createPantoneInk(raw, code, before);
  }
  for (let index = words.length - 1; index > 0; index -= 1) {
    const code = parseExplicitCode(words.slice(0, index).join(' '));
    const name = words.slice(index).join(' ');
    // `PMS 186 XX` refers to a guide that does not exist, not to a colour called XX.
    if (code && name.length > 2 && parseMethod(name) === undefined) {
      return createPantoneInk(raw, code, name);
    }
  }
  return undefined;
}

function parseExplicitCode(text: string): PantoneCode | undefined {
  const pantone = parsePantone(text);
  return pantone.valid && isExplicitCode(text, pantone) ? pantone : undefined;
}
