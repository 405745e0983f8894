// Splits a spec line at '/', ';' and newlines, but not inside fractions, `n/a` and `w/o`.

/** Placeholder for a slash that is not a separator. */
const slashPlaceholder = '\u0000';

const fraction =
  /(^|[\s\-x×*.:=(])(\d{1,2})\/(2|3|4|8|16|32|64)(?=\s*(?:in\b|inch|["”″]|''|mm\b|cm\b|[x×*]|by\b|w\b|h\b|wide|high|tall|dia))/gi;
const shorthand = /\b(n|w)\/(a\b|o\b|(?=\s))/gi;

/** Splits a line into its parts, trimmed and without empty ones. */
export function splitSpec(line: string): string[] {
  return line
    .replace(fraction, (match, prefix: string, numerator: string, denominator: string) =>
      Number(numerator) < Number(denominator)
        ? `${prefix}${numerator}${slashPlaceholder}${denominator}`
        : match,
    )
    .replace(shorthand, `$1${slashPlaceholder}$2`)
    .split(/[/;\r\n]+/)
    .map((part) => part.replaceAll(slashPlaceholder, '/').trim())
    .filter((part) => part !== '');
}

/** Returns the pieces of a list: split at non-decimal commas, `+`, `&`, `|` and `and`. */
export function splitPart(part: string): string[] {
  return part
    .split(/,(?!\d)|,(?=\d{3,})|\s*[+&|]\s*|\s+and\s+/i)
    .map((piece) => piece.trim())
    .filter((piece) => piece !== '');
}
