// The form of a colorway's name. Pure.

const pattern = /^[^/\\@\p{Cc}\p{Cs}]+$/u;

/** Colorway names stand in keys, in names of files and in commands. */
export function isColorwayName(name: string): boolean {
  return name.length <= 100 && name === name.trim() && pattern.test(name);
}
