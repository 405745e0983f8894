// Pantone colours whose code is a name, with or without a number.

interface BasicColor {
  /** Pantone's spelling, including the number. */
  readonly code: string;
  /** The word after name and number, usually the suffix of the guide. */
  readonly word: string | undefined;
  readonly number: 'none' | 'good' | 'bad' | 'missing';
}

/** Names that are not followed by a number. */
const plainNames =
  'Neutral Black, Process Blue, Process Black, Process Yellow, Process Magenta, Process Cyan, ' +
  'Reflex Blue, Rubine Red, Rhodamine Red, Warm Red, Bright Red, Strong Red, Dark Blue, Medium Blue, ' +
  'Medium Purple, Medium Yellow, Bright Green, Bright Orange, Purple, Pink';

/** Which numbers may follow a name, and whether the number may be missing. */
interface Numbers {
  readonly validNumbers: readonly string[];
  readonly optional: boolean;
}

const required = (numbers: string): Numbers => ({
  validNumbers: numbers.split(' '),
  optional: false,
});
const optional = (numbers: string): Numbers => ({
  validNumbers: numbers.split(' '),
  optional: true,
});

const numbersByName: ReadonlyMap<string, Numbers> = new Map([
  ...plainNames.split(', ').map((name) => [name, optional('')] as const),
  ['Cool Gray', required('1 2 3 4 5 6 7 8 9 10 11')],
  ['Warm Gray', required('1 2 3 4 5 6 7 8 9 10 11')],
  ['Black', optional('2 3 4 5 6 7 0961')],
  ['Violet', optional('0631')],
  ['Green', optional('0921')],
  ['Yellow', optional('012 0131')],
  ['Orange', required('021')],
  ['Red', required('032 0331')],
  ['Blue', required('072 0821')],
  ['Magenta', required('0521')],
]);

/** Returns the colour if the text is its name with at most one more word, or undefined otherwise. */
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
    if (digits === undefined) return { code, word, number: numbers.optional ? 'none' : 'missing' };
    return { code, word, number: numbers.validNumbers.includes(digits) ? 'good' : 'bad' };
  }
  return undefined;
}
