/** Returns the fix as one line, or no lines if there is no fix. */
export function formatFix(fix: string | null, indent: string): string[] {
  return fix === null || fix === '' ? [] : [`${indent}${withFullStop(fix)}`];
}

/** Matches a command at the end, which people copy. */
const commandAtEnd = /(?:: |then )(?:renderline|temporal|npm|ulimit|export) (?!.*\. [A-Z])[^`]*$/;

/** Adds a full stop, unless the fix ends with a command or a punctuation mark, or has several lines. */
function withFullStop(fix: string): string {
  return /[.!?:]$|\n/.test(fix) || commandAtEnd.test(fix) ? fix : `${fix}.`;
}
