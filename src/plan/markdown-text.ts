// Names and messages of others on pages of Markdown. Pure.

/** What a page takes for a link, HTML, code, a cell of a table, or an address. */
const marks = /[\\`[\]<>|]|:(?=\/\/)|(?<=\bwww)\./gi;
/** What ends a line, or turns the reading direction round. */
const hidden = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu;

/** The text in one line, and nothing but text. */
export function markdownText(text: string): string {
  return text.replace(hidden, ' ').replace(marks, String.raw`\$&`);
}
