// Pantone colours whose code is a name, with or without a number.

export interface BasicColor {
  /** Pantone's spelling, including the number. */
  readonly code: string;
  /** The word after name and number, usually the suffix of the guide. */
  readonly word: string | undefined;
  readonly number: 'none' | 'good' | 'bad' | 'missing';
}

/** Which numbers may follow a name, and whether the number may be missing. */
interface Numbers {
  readonly allowed: (digits: string) => boolean;
  readonly optional: boolean;
}

const range = (
  min: number,
  max: number,
  optional: boolean,
  others: readonly string[] = [],
): Numbers => ({
  allowed: (digits) =>
    others.includes(digits) ||
    (Number(digits) >= min && Number(digits) <= max && digits[0] !== '0'),
  optional,
});
const list = (numbers: readonly string[], optional: boolean): Numbers => ({
  allowed: (digits) => numbers.includes(digits),
  optional,
});

const numbersByName: ReadonlyMap<string, Numbers | null> = new Map<string, Numbers | null>([
  ['Cool Gray', range(1, 11, false)],
  ['Warm Gray', range(1, 11, false)],
  ['Neutral Black', null],
  ['Black', range(2, 7, true, ['0961'])],
  ['Process Blue', null],
  ['Process Black', null],
  ['Process Yellow', null],
  ['Process Magenta', null],
  ['Process Cyan', null],
  ['Reflex Blue', null],
  ['Rubine Red', null],
  ['Rhodamine Red', null],
  ['Warm Red', null],
  ['Bright Red', null],
  ['Strong Red', null],
  ['Dark Blue', null],
  ['Medium Blue', null],
  ['Medium Purple', null],
  ['Medium Yellow', null],
  ['Bright Green', null],
  ['Bright Orange', null],
  ['Purple', null],
  ['Pink', null],
  ['Violet', list(['0631'], true)],
  ['Green', list(['0921'], true)],
  ['Yellow', list(['012', '0131'], true)],
  ['Orange', list(['021'], false)],
  ['Red', list(['032', '0331'], false)],
  ['Blue', list(['072', '0821'], false)],
  ['Magenta', list(['0521'], false)],
]);

/** The colour that the text names, with at most one more word; otherwise undefined. */
export function parseBasicColor(text: string): BasicColor | undefined {
  const plain = text.replace(/\bgrey\b/gi, 'gray');
  for (const [name, numbers] of numbersByName) {
    const pattern = new RegExp(`^${name}(?:[\\s-]*(\\d+))?(?:\\s*([a-z]+))?$`, 'i');
    const match = pattern.exec(plain);
    if (!match) continue;
    const [, digits, word] = match;
    // `Blacksmith` is not `Black` with a suffix.
    if (digits === undefined && word !== undefined && !plain.slice(name.length).startsWith(' ')) {
      continue;
    }
    const code = digits === undefined ? name : `${name} ${digits}`;
    return { code, word, number: judge(numbers, digits) };
  }
  return undefined;
}

function judge(numbers: Numbers | null, digits: string | undefined): BasicColor['number'] {
  if (digits === undefined) return numbers === null || numbers.optional ? 'none' : 'missing';
  return numbers?.allowed(digits) === true ? 'good' : 'bad';
}
