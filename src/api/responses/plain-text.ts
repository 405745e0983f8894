// Makes text from the platform safe for messages, records and terminals: short and without control characters.

/** Maximum number of characters of the platform's text that are shown. */
export const maxPlainTextLength = 400;

/** At most this multiple of the final length is processed, which bounds the work. */
const scanFactor = 4;

/** Terminal control sequences: strings such as OSC, up to their end, and sequences such as colours. */
const [escape, bell, end] = ['\u001b', '\u0007', '\u009c'];
const controlSequences = [
  `(?:${escape}[\\]PX^_]|[\u0090\u0098\u009d-\u009f])[^${bell}${escape}${end}]*(?:${bell}|${escape}\\\\|${end})?`,
  `(?:${escape}\\[|\u009b)[0-?]*[ -/]*[@-~]?`,
  `${escape}[ -/]*[0-~]?`,
];
const escapes = new RegExp(controlSequences.join('|'), 'g');
const lineEnds = /[\t\n\v\f\r\u0085\u2028\u2029]+/g;
/** Other control characters, and characters that change the direction of text. */
const controls = /[\p{Cc}\p{Bidi_Control}]+/gu;
/** Half of a surrogate pair, which UTF-8 cannot encode. */
const loneSurrogates = /\p{Surrogate}/gu;

/** Returns the text on one line, without characters that control a terminal or the direction of text. */
export function removeControls(text: string): string {
  return text
    .replace(escapes, '')
    .replace(lineEnds, ' ')
    .replace(controls, '')
    .replace(loneSurrogates, '\ufffd');
}

/** Characters that end a line, control a terminal, change the reading direction, or are invalid. */
const hidden = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Surrogate}\ufeff]/gu;

/** Returns the text on one line. The characters in `hidden` are escaped as in JSON. */
export function escapeToOneLine(text: string): string {
  return text.replace(hidden, (char) => {
    const short = JSON.stringify(char).slice(1, -1);
    return short === char ? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}` : short;
  });
}

/** Escapes each line of a text but keeps its line breaks. */
export function escapeLines(text: string): string {
  return text.split('\n').map(escapeToOneLine).join('\n');
}

/**
 * Returns the text on one line of at most `maxLength` characters, without control characters.
 * @param clean applied before the text is cut
 */
export function toPlainText(
  text: string,
  maxLength = maxPlainTextLength,
  clean: (text: string, isCut: boolean) => string = (line) => line,
): string {
  const scanned = text.slice(0, scanFactor * maxLength);
  const isCut = scanned.length < text.length;
  const plain = clean(removeControls(scanned), isCut).trim();
  return truncate(plain, maxLength, isCut || plain.length > maxLength);
}

/** Cuts a text that is too long, so that it has at most `maxLength` characters and ends in an ellipsis. */
export function truncate(
  text: string,
  maxLength: number,
  isTooLong = text.length > maxLength,
): string {
  // The replacement ensures that no surrogate pair is cut in two.
  return isTooLong ? `${text.slice(0, maxLength - 1).replace(/[\ud800-\udbff]$/, '')}…` : text;
}

/** Characters that JSON does not escape, but that terminals interpret or readers misread. */
const unsafeCharacters = /[\u007f-\u009f\u2028\u2029\p{Bidi_Control}]/gu;

/** Formats JSON, escaping characters that control a terminal. */
export function toTerminalSafeJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(
    unsafeCharacters,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
