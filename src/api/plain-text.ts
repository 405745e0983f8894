// Words of the platform on their way into messages, records and terminals: short, and nothing but text.

/** Longest text of the platform that is shown. */
export const wordsAtMost = 400;

/** Of a text that is cut, so many times its length is looked through: nobody reads a megabyte. */
const lookedThrough = 4;

/** What a terminal takes as orders: strings (OSC and their like) to their end, then sequences such as colours. */
const [escape, bell, end] = ['\u001b', '\u0007', '\u009c'];
const orders = [
  `(?:${escape}[\\]PX^_]|[\u0090\u0098\u009d-\u009f])[^${bell}${escape}${end}]*(?:${bell}|${escape}\\\\|${end})?`,
  `(?:${escape}\\[|\u009b)[0-?]*[ -/]*[@-~]?`,
  `${escape}[ -/]*[0-~]?`,
];
const escapes = new RegExp(orders.join('|'), 'g');
const lineEnds = /[\t\n\v\f\r\u0085\u2028\u2029]+/g;
/** The rest of what is no text, and what turns the direction of the text around it. */
const controls = /[\p{Cc}\p{Bidi_Control}]+/gu;
/** Half a pair: no text that can be sent. */
const loneSurrogates = /\p{Surrogate}/gu;

/** On one line, without anything that steers a terminal. */
export function printable(text: string): string {
  return text
    .replace(escapes, '')
    .replace(lineEnds, ' ')
    .replace(controls, '')
    .replace(loneSurrogates, '\ufffd');
}

/**
 * The text on one line, without control characters, and no longer than `max` characters.
 * @param clean what else becomes of it, before it is cut to its length
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
