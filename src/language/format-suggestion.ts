// Suggestions for a misspelled name, as the hint of a problem.
import { nearestHint } from '../api/requests/nearest-name.ts';

/** `Did you mean "x"?`, or up to 20 known names if none is similar; undefined if no name is known. */
export function formatSuggestion(name: string, known: readonly string[]): string | undefined {
  const near = nearestHint(name, known);
  if (near !== null) return `D${near.slice(1)}`;
  if (known.length === 0) return undefined;
  const shown = known.slice(0, 20).join(', ');
  return `Known here: ${shown}${known.length > 20 ? ', …' : ''}.`;
}
