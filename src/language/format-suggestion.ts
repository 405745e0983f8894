// Suggestions for a misspelled name, as the hint of a problem.
import { suggestName } from '../api/requests/nearest-name.ts';

/** Returns `Did you mean "x"?`, or up to 20 known names if none is similar. Undefined if no name is known. */
export function formatSuggestion(name: string, knownNames: readonly string[]): string | undefined {
  const hint = suggestName(name, knownNames);
  if (hint !== null) return `D${hint.slice(1)}`;
  if (knownNames.length === 0) return undefined;
  const nameList = knownNames.slice(0, 20).join(', ');
  return `Available: ${nameList}${knownNames.length > 20 ? ', …' : ''}.`;
}
