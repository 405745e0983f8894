// Matches names of platform objects against a glob. Names are not paths, so a star also matches a slash.
import { GlobSet } from '../../language/glob-set.ts';

/** Returns a case-insensitive test for names. Without a glob, every name passes. */
export function nameMatcher(glob: string | undefined): (name: string) => boolean {
  if (glob === undefined) return () => true;
  const globs = new GlobSet([glob], { style: 'name', ignoreCase: true });
  return (name) => globs.hasMatch(name);
}

/**
 * Finds the longest literal part of a glob, for lists that filter by part of a name. Undefined if there is none. The
 * part is ASCII, because the platform's filter may distinguish the encodings of accents, and the glob does not.
 */
export function findLiteralPart(glob: string): string | undefined {
  const parts = glob
    .normalize('NFC')
    .replaceAll(/\[[^\]]*\]|\{(?:\[[^\]]*\]|[^[}])*\}/g, '*')
    .split(/[*?\u0080-\u{10ffff}]+/u);
  const longest = parts.reduce((best, part) => (part.length > best.length ? part : best), '');
  return longest.trim() === '' ? undefined : longest.trim();
}
