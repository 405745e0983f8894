// Parses an artwork size: `3.5 x 2 in`, `90 mm × 50 mm`, `3 1/2" w`, `Ø 2.25"`.

export type LengthUnit = 'in' | 'mm' | 'cm';

export interface ArtworkSize {
  readonly width?: number;
  readonly height?: number;
  readonly diameter?: number;
  /** Null if no unit is stated. A pair if the two sides have different units. */
  readonly unit: LengthUnit | readonly [LengthUnit, LengthUnit] | null;
}

type Label = 'width' | 'height' | 'diameter';
interface Side {
  readonly value: number;
  readonly unit: LengthUnit | null;
  readonly label: Label | undefined;
}

const inchesIn: Readonly<Record<LengthUnit, number>> = { in: 1, mm: 1 / 25.4, cm: 1 / 2.54 };

const label = String.raw`(?:widths?|wide|w|heights?|high|tall|h|diameter|diam|dia|Ø|ø|⌀)(?![a-z])\.?`;
const amount = String.raw`(?:\d+[\s-]+\d+\/\d+|\d+\/\d+|\d+(?:[.,]\d+)?|[.,]\d+)`;
const unit = String.raw`(?:inches|inch|ins|in|millimet(?:er|re)s?|mm|centimet(?:er|re)s?|cm)(?![a-z])\.?|''|["”“″]`;
const side = String.raw`(?:(${label})[\s:=]*)?(${amount})\s*(${unit})?\s*(${label})?`;
const sizePattern = new RegExp(String.raw`^${side}(?:\s*(?:[x×✕*]|\bby\b)\s*${side})?$`, 'i');
const leadingWords =
  /^(?:(?:art(?:work)?|imprint|print|logo|design|finished)\s*)?(?:size|area|dimensions?|dims?)\s*[:=]?\s*|^(?:approx(?:imately|\.)?|about|max(?:imum|\.)?|up to|~)\s*/i;

/** Returns the size that the whole text states. Returns undefined if there is none. A plain number is not a size. */
export function parseSize(text: string): ArtworkSize | undefined {
  const plain = text
    .replace(leadingWords, '')
    .replace(leadingWords, '')
    .replace(/[¼½¾⅛⅜⅝⅞⅓⅔]/g, (sign) => ` ${sign.normalize('NFKC').replace('\u2044', '/')}`)
    // In `3.5x2in`, the x does not belong to a unit.
    .replace(/(\d)\s*x\s*(?=[\d.])/gi, '$1 x ')
    .trim();
  const match = sizePattern.exec(plain);
  if (!match) return undefined;
  const first = sideOf(match.slice(1, 5));
  if (!first) return undefined;
  const second = sideOf(match.slice(5, 9));
  return second ? combineSides(first, second) : toSize(first);
}

/** Returns width and height in inches, which are assumed if no unit is stated. Null if missing or not above zero. */
export function toInches(size: ArtworkSize | null): {
  widthIn: number | null;
  heightIn: number | null;
} {
  if (size === null) return { widthIn: null, heightIn: null };
  const [ofWidth, ofHeight] = Array.isArray(size.unit) ? size.unit : [size.unit, size.unit];
  const inches = (value: number | undefined, sizeUnit: LengthUnit | null): number | null =>
    value === undefined || value <= 0
      ? null
      : Math.round(value * inchesIn[sizeUnit ?? 'in'] * 1000) / 1000;
  return {
    widthIn: inches(size.diameter ?? size.width, ofWidth),
    heightIn: inches(size.diameter ?? size.height, ofHeight),
  };
}

function sideOf([labelBefore, value, unitText, labelAfter]: readonly (string | undefined)[]):
  | Side
  | undefined {
  if (value === undefined) return undefined;
  return {
    value: numberOf(value),
    unit: unitOf(unitText),
    label: labelOf(labelBefore ?? labelAfter),
  };
}

function numberOf(text: string): number {
  const mixed = /^(?:(\d+)[\s-]+)?(\d+)\/(\d+)$/.exec(text);
  if (!mixed) return Number(text.replace(',', '.'));
  const [, integer = '0', numerator, denominator] = mixed;
  return Number(integer) + Number(numerator) / Number(denominator);
}

function unitOf(text: string | undefined): LengthUnit | null {
  if (text === undefined) return null;
  const start = text.toLowerCase().slice(0, 2);
  if (start === 'mm' || start === 'mi') return 'mm';
  return start === 'cm' || start === 'ce' ? 'cm' : 'in';
}

function labelOf(text: string | undefined): Label | undefined {
  if (text === undefined) return undefined;
  const start = text.toLowerCase().charAt(0);
  if (start === 'w') return 'width';
  return start === 'h' || start === 't' ? 'height' : 'diameter';
}

function toSize({ value, unit: sideUnit, label: sideLabel }: Side): ArtworkSize | undefined {
  if (sideUnit === null && sideLabel === undefined) return undefined;
  return { [sideLabel ?? 'width']: value, unit: sideUnit };
}

function combineSides(first: Side, second: Side): ArtworkSize {
  const isSwapped = first.label === 'height' || second.label === 'width';
  const [wide, high] = isSwapped ? [second, first] : [first, second];
  const sides = { width: wide.value, height: high.value };
  if (wide.unit !== null && high.unit !== null && wide.unit !== high.unit) {
    return { ...sides, unit: [wide.unit, high.unit] };
  }
  return { ...sides, unit: wide.unit ?? high.unit };
}
