// Words of a command line, so that they can be copied into a shell.

/** As it is where the shell leaves it alone, else in single quotes. */
export function shellQuoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
