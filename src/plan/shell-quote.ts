// Quotes words of a command line so that it can be copied into a shell.

/** Unchanged where the shell takes it literally, else in single quotes. */
export function shellQuoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
