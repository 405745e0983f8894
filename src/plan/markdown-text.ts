// Escapes names and messages for pages of Markdown. Pure.

/** Characters that Markdown reads as links, HTML, code, table cells or addresses. */
const marks = /[\\`[\]<>|]|:(?=\/\/)|(?<=\bwww)\./gi;
/** Characters that end a line or change the reading direction. */
const hidden = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu;

/** The text on one line, with all markup escaped. */
export function markdownText(text: string): string {
  return text.replace(hidden, ' ').replace(marks, String.raw`\$&`);
}
