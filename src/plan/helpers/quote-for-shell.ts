/** Returns the word unchanged if the shell takes it literally, or in single quotes otherwise. */
export function quoteForShell(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
