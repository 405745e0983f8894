// Quotes words of a command line, so that the line can be copied into a shell.

/** Unchanged if the shell takes the word literally, else in single quotes. */
export function shellQuoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
