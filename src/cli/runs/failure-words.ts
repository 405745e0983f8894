// Prints the fix of a failure.

/** The fix as a line of its own; empty where there is none. */
export function fixLines(fix: string | null, indent: string): string[] {
  return fix === null || fix === '' ? [] : [`${indent}${sentence(fix)}`];
}

/** Unchanged, as in JSON; fixes with details of a case lack the full stop. */
function sentence(fix: string): string {
  return /[.!?:]$|\n/.test(fix) ? fix : `${fix}.`;
}
