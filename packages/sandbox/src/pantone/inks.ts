// The platform's ink list: its limits, and how it is derived from a spec line.
import { toStoredCode } from 'renderline/pantone/pantone-code';
import { toInches } from './size.ts';
import { parseSpecLine, type SpecInk } from './spec-line.ts';
import { splitSpec } from './spec-split.ts';

export const maxInks = 16;
export const maxInkNameLength = 40;

interface Ink {
  /** Name of the ink. Empty if only the code is known. */
  readonly name: string;
  readonly pantoneCode: string | null;
  /** #RRGGBB. Used only for swatches. */
  readonly hex: string | null;
}

export interface InkSpec {
  readonly inks: readonly Ink[];
  readonly colourCount: number | null;
  readonly method: string | null;
  readonly widthIn: number | null;
  readonly heightIn: number | null;
  readonly warnings: readonly string[];
}

/** Parses a spec line as the platform does. `inks` are in stored form. */
export function parseInkSpec(spec: string): InkSpec {
  const specLine = parseSpecLine(spec);
  const undecided = specLine.undecided.map((raw): SpecInk => ({ raw, kind: 'unknown' }));
  // The platform has no locations, so everything that is not a size, count or method is an ink.
  const locationInks: SpecInk[] =
    specLine.location === null
      ? []
      : [{ raw: findOriginalPart(spec, specLine.location), kind: 'unknown' }];
  const specInks = [...locationInks, ...specLine.inks, ...undecided];
  const warnings = specInks.flatMap((ink) =>
    ink.kind === 'pantone' || ink.kind === 'named'
      ? []
      : [`"${ink.raw}" could not be read as a Pantone code.`],
  );
  if (specLine.issues.includes('color-count-mismatch')) {
    const inkCount = specLine.inks.length;
    warnings.push(
      `The spec states ${formatCount(specLine.colorCount ?? 0, 'color')}, but ${formatCount(inkCount, 'ink')} ${inkCount === 1 ? 'was' : 'were'} found.`,
    );
  }
  return {
    inks: specInks.map(inkOf),
    colourCount: specLine.colorCount,
    method: specLine.method?.listed ?? null,
    ...toInches(specLine.size),
    warnings,
  };
}

function findOriginalPart(spec: string, location: string): string {
  const hasLocation = (part: string) => part.toLowerCase().includes(location);
  return splitSpec(spec).find(hasLocation) ?? location;
}

function inkOf({ raw, kind, name, pantone }: SpecInk): Ink {
  if (pantone) return { name: name ?? '', pantoneCode: toStoredCode(pantone), hex: null };
  const hex = kind === 'hex' && raw.length === 7 ? raw.toUpperCase() : null;
  return { name: raw, pantoneCode: null, hex };
}

function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
