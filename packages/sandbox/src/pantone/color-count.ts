// Parses the number of colours in a phrase: `2 colors`, `3C`, `two-colour`, `4cp`, `colors: 3`.

const numberWords = 'no one two three four five six seven eight nine ten eleven twelve'.split(' ');
const amount = String.raw`(?<amount>\d{1,2}|${numberWords.join('|')}|full|single|zero)`;
const kind = String.raw`(?:(?:spot|pms|pantone|solid|thread|ink)[\s-]*)?`;
const longUnit = String.raw`colou?rs?|inks?|threads?`;

const patterns = [
  new RegExp(
    String.raw`^${amount}[\s-]*${kind}(?<unit>${longUnit}|col|clrs?|cp|c)(?<process>\s+process)?(?:[\s,:-]+|$)(?<rest>.*)$`,
    'i',
  ),
  // After other words, the unit must be written in full, because `Black 6 C` does not state a count.
  new RegExp(
    String.raw`^(?<rest>.*[^\s,:(-])[\s,:(-]+${amount}[\s-]*${kind}(?<unit>${longUnit})\)?$`,
    'i',
  ),
  /^(?:number of |no\. of )?(?:colou?rs?|inks?)\s*(?:count\s*)?[:=]\s*(?<amount>\d{1,2})$/i,
];

export interface ColorCount {
  readonly count: number;
  /** True for full colour (CMYK), whose inks need not be listed. */
  readonly process: boolean;
  /** The rest of the phrase. */
  readonly rest: string;
}

export function parseColorCount(text: string): ColorCount | undefined {
  for (const pattern of patterns) {
    const groups = pattern.exec(text)?.groups;
    if (!groups) continue;
    const stated = (groups['amount'] ?? '').toLowerCase();
    const process =
      stated === 'full' ||
      groups['process'] !== undefined ||
      groups['unit']?.toLowerCase() === 'cp';
    return { count: numberOf(stated), process, rest: (groups['rest'] ?? '').trim() };
  }
  return undefined;
}

function numberOf(stated: string): number {
  if (stated === 'full') return 4;
  if (stated === 'single') return 1;
  if (stated === 'zero') return 0;
  const index = numberWords.indexOf(stated);
  return index < 0 ? Number(stated) : index;
}
