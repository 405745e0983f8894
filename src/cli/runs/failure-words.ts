// How the fix of a failure is printed.

/** The fix as a line of its own; empty where there is none. */
export function fixLines(fix: string | null, indent: string): string[] {
  return fix === null || fix === '' ? [] : [`${indent}${sentence(fix)}`];
}

/** Fixes of causes that name what is particular may be parts of sentences. */
export function sentence(text: string): string {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?:\n]$|\n/.test(begun) ? begun : `${begun}.`;
}
