// Words of others on GitHub's pages: names of files and assets, and what commands print, are shown and never obeyed.
import { randomUUID } from 'node:crypto';

/** The message of a workflow command, as GitHub's toolkit writes it. */
const data = (text) =>
  String(text).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
const property = (text) => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');

/** Prints a workflow command. */
export function command(name, properties, message) {
  const given = Object.entries(properties).map(([key, value]) => `${key}=${property(value)}`);
  console.log(`::${name} ${given.join(',')}::${data(message)}`);
}

/** Prints text in which GitHub looks for no commands: until a word that nobody can guess. */
export function log(text) {
  const word = randomUUID();
  console.log(`::stop-commands::${word}\n${text}\n::${word}::`);
}

/** Characters that end a line, control a terminal or turn the reading direction round. */
const hidden = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/** A name in one line, with its hidden characters written out. */
export function oneLine(text) {
  return String(text).replace(
    hidden,
    (one) => `\\u${one.codePointAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Ticks that no run of ticks in the text is as long as. */
function ticks(text, fewest) {
  const runs = text.match(/`+/g) ?? [];
  return '`'.repeat(Math.max(fewest, ...runs.map((run) => run.length + 1)));
}

/** A name in a heading: code, in which no page finds links, people or HTML. */
export function codeSpan(text) {
  const line = oneLine(text);
  const fence = ticks(line, 1);
  const gap = /^`|`$|^ .* $/.test(line) ? ' ' : '';
  return `${fence}${gap}${line}${gap}${fence}`;
}

/** Text that no page takes for anything else: its fence is longer than any in it. */
export function fenced(text, longest) {
  const shown = text.length > longest ? `${text.slice(0, longest)}\n…` : text.trimEnd();
  const fence = ticks(shown, 3);
  return `${fence}text\n${shown}\n${fence}`;
}
