// How the fix of a failure is printed.

/** The fix as a line of its own; empty where there is none. */
export function fixLines(fix: string | null, indent: string): string[] {
  return fix === null || fix === '' ? [] : [`${indent}${sentence(fix)}`];
}

/** To the letter as JSON has it; fixes of causes that name what is particular lack the end. */
function sentence(fix: string): string {
  return /[.!?:]$|\n/.test(fix) ? fix : `${fix}.`;
}
