// Time zones by their IANA names.
import { universalZones } from '../plan/helpers/zone-offset.ts';
import { formatSuggestion } from './format-suggestion.ts';

const ianaForm = /^[A-Z][A-Za-z0-9_+-]*(?:\/[A-Z][A-Za-z0-9_+-]*)*$/;

/** Returns why a name is not a time zone, with a suggestion, or null if it is one. */
export function findTimeZoneProblem(name: string): { hint: string | undefined } | null {
  const zones = [...Intl.supportedValuesOf('timeZone'), ...universalZones];
  if (zones.includes(name)) return null;
  // Intl lists one name per zone but also accepts the zone's other names. Unlike the server, it ignores case and
  // accepts offsets, which are refused here.
  const listedZone = zones.find((zone) => zone.toLowerCase() === name.toLowerCase());
  if (listedZone === undefined && ianaForm.test(name) && isIntlTimeZone(name)) return null;
  if (listedZone !== undefined) return { hint: `Did you mean "${listedZone}"?` };
  const suggestion = formatSuggestion(name, zones);
  const isGuess = suggestion?.startsWith('Did') === true;
  return { hint: isGuess ? suggestion : 'Write an IANA name such as Europe/Berlin or UTC.' };
}

function isIntlTimeZone(timeZone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
