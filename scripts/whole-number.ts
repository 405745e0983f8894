/**
 * Parses the value of a flag or an environment variable as a whole number.
 * @param name as the user writes it, such as `--rounds`
 * @throws Error with the usage
 */
export function wholeNumber(name: string, text: string, min: number, usage = ''): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isSafeInteger(value) && value >= min) return value;
  throw new Error(`${name} must be a whole number of at least ${min}, not "${text}"\n${usage}`);
}
