// Makes output safe for terminals, whatever names of files and of the platform contain.
import { printable } from '../api/plain-text.ts';

/** Colours as `painter` writes them: one code each, none that hides text. */
const color = new RegExp(`(${'\u001b'}\\[(?:[0-79]|[2-9]\\d)m)`);
/** Characters that JSON does not escape but terminals interpret or readers misread. */
const unescaped = /[\u007f-\u009f\p{Bidi_Control}]/gu;

/** Text for people. Of colours only the codes of `painter` stay. */
export function screenText(text: string, hasColors: boolean): string {
  const plain = (part: string) => part.split('\n').map(printable).join('\n');
  if (!hasColors) return plain(text);
  // Every second part is a colour.
  const parts = text.split(color);
  return parts.map((part, index) => (index % 2 === 1 ? part : plain(part))).join('');
}

/** JSON of the same values, without characters that control a terminal. */
export function jsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(
    unescaped,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
