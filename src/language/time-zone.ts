// Time zones by their IANA names.
import { universalZones } from '../plan/helpers/zone-offset.ts';
import { formatSuggestion } from './format-suggestion.ts';

const ianaForm = /^[A-Z][A-Za-z0-9_+-]*(?:\/[A-Z][A-Za-z0-9_+-]*)*$/;

/** Why a name is no time zone, with a suggestion; null if it is one. */
export function findTimeZoneProblem(name: string): { hint: string | undefined } | null {
  const known = [...Intl.supportedValuesOf('timeZone'), ...universalZones];
  if (known.includes(name)) return null;
  // Intl lists one name per zone but accepts its other names too. Unlike the server it ignores case and accepts
  // offsets, which are refused here.
  const listed = known.find((zone) => zone.toLowerCase() === name.toLowerCase());
  if (listed === undefined && ianaForm.test(name) && isKnownToIntl(name)) return null;
  if (listed !== undefined) return { hint: `Did you mean "${listed}"?` };
  const near = formatSuggestion(name, known);
  const isGuess = near?.startsWith('Did') === true;
  return { hint: isGuess ? near : 'Write an IANA name such as Europe/Berlin or UTC.' };
}

function isKnownToIntl(timeZone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
