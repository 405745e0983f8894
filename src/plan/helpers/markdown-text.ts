// Escapes names and messages for pages of Markdown. Pure.

/** Characters that Markdown reads as links, HTML, code, table cells or addresses. */
const markupCharacters = /[\\`[\]<>|]|:(?=\/\/)|(?<=\bwww)\./gi;
/** Control characters, line separators and characters that change the reading direction. */
const lineBreaks = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu;

/** The text on one line, with all markup escaped. */
export function escapeMarkdown(text: string): string {
  return text.replace(lineBreaks, ' ').replace(markupCharacters, String.raw`\$&`);
}
