// Makes text of the platform fit for messages, records and terminals: short, and nothing but text.

/** Most characters of the platform's text that are shown. */
export const wordsAtMost = 400;

/** A text is searched up to this multiple of its final length, to bound the work. */
const lookedThrough = 4;

/** Control sequences of terminals: strings (OSC and the like) to their end, then sequences such as colours. */
const [escape, bell, end] = ['\u001b', '\u0007', '\u009c'];
const orders = [
  `(?:${escape}[\\]PX^_]|[\u0090\u0098\u009d-\u009f])[^${bell}${escape}${end}]*(?:${bell}|${escape}\\\\|${end})?`,
  `(?:${escape}\\[|\u009b)[0-?]*[ -/]*[@-~]?`,
  `${escape}[ -/]*[0-~]?`,
];
const escapes = new RegExp(orders.join('|'), 'g');
const lineEnds = /[\t\n\v\f\r\u0085\u2028\u2029]+/g;
/** Other control characters, and those that change the direction of text. */
const controls = /[\p{Cc}\p{Bidi_Control}]+/gu;
/** Half of a surrogate pair, which cannot be sent. */
const loneSurrogates = /\p{Surrogate}/gu;

/** The text on one line, without anything that controls a terminal. */
export function printable(text: string): string {
  return text
    .replace(escapes, '')
    .replace(lineEnds, ' ')
    .replace(controls, '')
    .replace(loneSurrogates, '\ufffd');
}

/** What ends a line, controls a terminal, turns the reading direction round, or is no character. */
const hidden = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Surrogate}\ufeff]/gu;

/** The text on one line, with hidden characters written out as JSON writes them: two texts never look the same by them. */
export function inOneLine(text: string): string {
  return text.replace(hidden, (one) => {
    const short = JSON.stringify(one).slice(1, -1);
    return short === one ? `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}` : short;
  });
}

/**
 * The text on one line, without control characters, and no longer than `max` characters.
 * @param clean applied before the text is cut
 */
export function plainText(
  text: string,
  max = wordsAtMost,
  clean: (text: string, isCut: boolean) => string = (same) => same,
): string {
  const looked = text.slice(0, lookedThrough * max);
  const isCut = looked.length < text.length;
  const plain = clean(printable(looked), isCut).trim();
  if (plain.length <= max && !isCut) return plain;
  // A pair of surrogates is not cut in two.
  return `${plain.slice(0, max - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
