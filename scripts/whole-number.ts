/** Parses the value of a flag: a whole number from 0. @throws Error with the usage */
export function wholeNumber(name: string, text: string, usage: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new Error(`--${name} must be a whole number, not "${text}"\n${usage}`);
}
