/**
 * Parses the value of a flag or an environment variable: a whole number from 0.
 * @param name as the user writes it, such as `--rounds`
 * @throws Error with the usage
 */
export function wholeNumber(name: string, text: string, usage: string): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isSafeInteger(value) && value >= 0) return value;
  throw new Error(`${name} must be a whole number of at least 0, not "${text}"\n${usage}`);
}
