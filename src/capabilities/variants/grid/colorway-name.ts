// What can be the name of a colorway. Pure.

const pattern = /^[^/\\@\p{Cc}\p{Cs}]+$/u;

/** It stands in keys, in names of files and in commands. */
export function isColorwayName(name: string): boolean {
  return name.length <= 100 && name === name.trim() && pattern.test(name);
}
