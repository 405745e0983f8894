/** Returns the fix as one line, or no lines if there is no fix. */
export function formatFix(fix: string | null, indent: string): string[] {
  return fix === null || fix === '' ? [] : [`${indent}${withFullStop(fix)}`];
}

/** Adds a full stop, unless the fix ends with a punctuation mark or has several lines. */
function withFullStop(fix: string): string {
  return /[.!?:]$|\n/.test(fix) ? fix : `${fix}.`;
}
